"""Tests airlot under mpirun, with Open MPI and MPICH: the same bytes as one process leaves, and what fails."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from program import AIRLOT, ENVIRONMENT, PLAN, airlot
from slurm_test import wait_until
from sweep_test import KEYS, SweepTest, bytes_in

# Root may only run Open MPI where it says so; ranks may outnumber processors.
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                   "OPENBLAS_NUM_THREADS": "1"}
LAUNCHERS = {"openmpi": ("mpirun.openmpi", "--oversubscribe"), "mpich": ("mpirun.mpich",)}
MPIS = [mpi for mpi in LAUNCHERS if shutil.which(LAUNCHERS[mpi][0]) and (pathlib.Path(AIRLOT).parent / f"airlot-{mpi}.so").exists()]


def together(*ranks):
    """Joins the commands of some ranks, each a number and a command."""
    words = []
    for count, command in ranks:
        words += [":"] if words else []
        words += ["-n", str(count), *map(str, command)]
    return words


def mpirun(mpi, count, *arguments, **options):
    command = [*LAUNCHERS[mpi], *together((count, (AIRLOT, *arguments)))]
    return run(command, **options)


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**ENVIRONMENT, **MPI_ENVIRONMENT}, **options)


@unittest.skipUnless(MPIS, "no MPI is there")
class MpiTest(SweepTest):
    small = {"rounds": 6, "evaluate_every": 2}

    def keys(self, **keys):
        chosen = {"data.dataset": self.data, **KEYS, **self.small, **keys}
        return [part for key, value in chosen.items() for part in ("--set", f"{key}={value}")]

    def compare(self, *more, **keys):
        return ("compare", "float32-cell", *self.keys(**keys), "--strategies", "random,probabilistic", "--seeds", 2, "--quiet", *more)

    def train(self, *more, **keys):
        return ("train", "float32-cell", *self.keys(**keys), "--strategy", "probabilistic", "--quiet", *more)

    def fine(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def same(self, one, other, what):
        first, second = bytes_in(one), bytes_in(other)
        self.assertEqual(sorted(first), sorted(second), what)
        for name, data in first.items():
            self.assertTrue(data == second[name], f"{what}: {name}")


class Runs(MpiTest):
    def test_compare_leaves_the_same_bytes_for_any_number_of_ranks_and_threads(self):
        self.done(*self.compare("-o", self.folder / "study", "--jobs", 1))
        os.rename(self.folder / "study", self.folder / "alone")
        for mpi in MPIS:
            for ranks, threads, jobs in ((2, 1, 1), (3, 2, 1), (4, 1, 2)):
                result = self.fine(mpirun(mpi, ranks, *self.compare("-o", self.folder / "study", "--threads", threads, "--jobs", jobs)))
                self.assertEqual(result.stdout.count("The files are in"), 1)
                self.same(self.folder / "alone", self.folder / "study", (mpi, ranks, threads))
                shutil.rmtree(self.folder / "study")

    def test_sweep_leaves_the_same_bytes(self):
        options = ("--vary", "radio.bandwidth_hz=1e6,1e7", "--strategies", "random,probabilistic", "--seeds", 2, "-o", self.folder / "study")
        self.done(*self.arguments(*options, **self.small))
        os.rename(self.folder / "study", self.folder / "alone")
        for mpi in MPIS:
            for ranks, jobs in ((2, 2), (3, 1)):
                self.fine(mpirun(mpi, ranks, *self.arguments(*options, "--jobs", jobs, **self.small)))
                self.same(self.folder / "alone", self.folder / "study", (mpi, ranks))
                shutil.rmtree(self.folder / "study")

    def test_several_scenarios(self):
        arguments = ("compare", "float32-cell", "paper-mildly-biased", *self.keys(), "--strategies", "random", "--seeds", 2, "--quiet", "-o",
                     self.folder / "study")
        self.done(*arguments)
        os.rename(self.folder / "study", self.folder / "alone")
        self.fine(mpirun(MPIS[0], 2, *arguments))
        self.same(self.folder / "alone", self.folder / "study", "two scenarios")

    def test_a_killed_rank_and_a_resume(self):
        keys = {"rounds": 60}
        self.done(*self.compare("-o", self.folder / "study", **keys))
        os.rename(self.folder / "study", self.folder / "alone")
        for mpi in MPIS:
            command = [*LAUNCHERS[mpi], *together((3, (AIRLOT, *self.compare("-o", self.folder / "study", "--checkpoint-every-s", 0, **keys))))]
            process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**ENVIRONMENT, **MPI_ENVIRONMENT})
            wait_until(lambda: list(self.folder.glob("study/*/*/checkpoint")), "a checkpoint")
            ranks = [pid for pid in descendants(process.pid) if is_airlot(pid)]
            os.kill(ranks[-1], signal.SIGKILL)
            self.assertNotEqual(process.wait(60), 0)
            wait_until(lambda: not any(map(is_airlot, ranks)), "the end of the ranks")
            self.fine(mpirun(mpi, 2, *self.compare("-o", self.folder / "study", "--resume", **keys)))
            self.same(self.folder / "alone", self.folder / "study", mpi)
            shutil.rmtree(self.folder / "study")

    @unittest.skipUnless("openmpi" in MPIS, "MPICH cannot start where files must be small")
    def test_a_full_disk_in_one_rank_costs_its_run_alone(self):
        self.done(*self.compare("-o", self.folder / "study"))
        os.rename(self.folder / "study", self.folder / "alone")
        limited = self.folder / "limited"
        limited.write_text(f'#!/bin/sh\nulimit -f 60\nexec {AIRLOT} "$@"\n')
        limited.chmod(0o755)
        arguments = self.compare("-o", self.folder / "study")
        result = self.fine(run([*LAUNCHERS["openmpi"], *together((1, (AIRLOT, *arguments)), (1, (limited, *arguments)), (1, (AIRLOT, *arguments)))]))
        self.assertRegex(result.stderr, r"note: rank 1 of 3 \(.*\): .*: its run is dealt again, and this rank gets no more")
        self.same(self.folder / "alone", self.folder / "study", "a full disk")


def descendants(pid):
    try:
        children = [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return []
    return [found for child in children for found in (child, *descendants(child))]


def is_airlot(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe") == os.path.realpath(AIRLOT)
    except OSError:
        return False


class Devices(MpiTest):
    def test_train_leaves_the_same_bytes_for_any_number_of_ranks_and_threads(self):
        # Gradients; local steps; updates with a state of their own; a strategy that asks devices.
        variants = ({}, {"learning.local_steps": 1, "learning.batch": 0}, {"learning.compression": "top-k"})
        for variant in variants:
            self.done(*self.train("-o", self.folder / "study", **variant))
            os.rename(self.folder / "study", self.folder / "alone")
            for mpi, ranks, threads in self.settings_of(variant):
                self.fine(mpirun(mpi, ranks, *self.train("-o", self.folder / "study", "--threads", threads, **variant)))
                self.same(self.folder / "alone", self.folder / "study", (variant, mpi, ranks, threads))
                shutil.rmtree(self.folder / "study")
            shutil.rmtree(self.folder / "alone")

    @staticmethod
    def settings_of(variant):
        if variant:
            return [(MPIS[-1], 3, 1)]
        return [(mpi, ranks, threads) for mpi in MPIS for ranks, threads in ((2, 1), (3, 2), (4, 1))]

    def test_an_interrupt_and_a_resume(self):
        keys = {"rounds": 200}
        self.done(*self.train("-o", self.folder / "study", **keys))
        os.rename(self.folder / "study", self.folder / "alone")
        command = [*LAUNCHERS[MPIS[0]], *together((2, (AIRLOT, *self.train("-o", self.folder / "study", "--checkpoint-every-s", 0, **keys))))]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**ENVIRONMENT, **MPI_ENVIRONMENT})
        wait_until(lambda: list(self.folder.glob("study/*/*/checkpoint")), "a checkpoint")
        first = next(pid for pid in descendants(process.pid) if is_airlot(pid) and b"RANK=0" in pathlib.Path(f"/proc/{pid}/environ").read_bytes())
        os.kill(first, signal.SIGTERM)
        self.assertIn("the runs were interrupted: add --resume", process.communicate(timeout=60)[1])
        self.assertTrue(list(self.folder.glob("study/*/*/checkpoint")))
        self.fine(mpirun(MPIS[0], 3, *self.train("-o", self.folder / "study", "--resume", **keys)))
        self.same(self.folder / "alone", self.folder / "study", "resumed")


def write_fleet(path, devices, first_id=0):
    """Makes devices of several kinds, enough for more than three parts, with names that do not rise."""
    with open(path, "w") as file:
        file.write("id,distance_m,energy_budget_j,compute_energy_j\n")
        for i in range(devices):
            file.write(f"d{(first_id + i) * 7919 % 1000003},{10 + i * 37 % 490},{0.001 * (1 + i * 11 % 97):.4g},{1e-4 * (i % 5):.4g}\n")


# Some take part in every round, and others are held back by energy, power or time.
KEYS_OF_FLEET = [word for key in ("radio.bandwidth_hz=1e8", "model.parameters=400", "round.time_rule=expected", "round.time_limit_s=3")
                 for word in ("--set", key)]


class Fleets(MpiTest):
    """A fleet of which every rank holds a part."""
    DEVICES = 4 * 16384 + 5

    def setUp(self):
        super().setUp()
        self.fleet = self.folder / "fleet.csv"
        write_fleet(self.fleet, self.DEVICES)

    def plan(self, *more, fleet=None, output="plan.csv"):
        return ("plan", "--fleet", fleet or self.fleet, "-o", self.folder / output, "--json", *KEYS_OF_FLEET, *more)

    def said(self, result):
        """What is printed, but for times."""
        return {key: value for key, value in json.loads(self.fine(result).stdout).items() if not key.endswith("seconds")}

    def test_plans_have_the_same_bytes_for_any_number_of_ranks(self):
        npz = self.folder / "fleet.npz"
        self.done("plan", "--fleet", self.fleet, "--save-fleet", npz, "--quiet", *KEYS_OF_FLEET)
        no_circuits = ("--set", "radio.circuit_power_w=0")  # Uploads may go on at the same time.
        variants = ((), ("--airtime", "--check"), ("--airtime", *no_circuits), ("--bandwidth", "shared", "--check", *no_circuits),
                    ("--bandwidth", "blocks", "--set", "radio.block_hz=300", *no_circuits))
        for fleet, output, variant in [(self.fleet, "plan.csv", variant) for variant in variants] + [(npz, "plan.npz", ()), (npz, "plan.csv", ("--airtime",))]:
            arguments = self.plan(*variant, fleet=fleet, output=output)
            alone = self.said(airlot(*arguments))
            expected = (self.folder / output).read_bytes()
            (self.folder / output).unlink()
            settings = [("openmpi", 2, 1), ("openmpi", 3, 1), ("openmpi", 4, 2)] if not variant else [(MPIS[0], 3, 1)]
            settings += [(MPIS[-1], 2, 1)]
            for mpi, ranks, threads in settings:
                if mpi not in MPIS:
                    continue
                self.assertEqual(self.said(mpirun(mpi, ranks, *arguments, "--threads", threads)), alone, (mpi, ranks, variant))
                self.assertTrue((self.folder / output).read_bytes() == expected, (mpi, ranks, variant))
                (self.folder / output).unlink()

    def test_a_fleet_that_is_drawn(self):
        arguments = (*PLAN, "--set", f"fleet.devices={self.DEVICES}", "-o", self.folder / "plan.csv", "--quiet")
        self.done(*arguments)
        os.rename(self.folder / "plan.csv", self.folder / "alone.csv")
        self.fine(mpirun(MPIS[0], 2, *arguments))
        self.assertTrue((self.folder / "plan.csv").read_bytes() == (self.folder / "alone.csv").read_bytes())

    def test_a_fleet_for_fewer_ranks(self):
        write_fleet(self.fleet, 100)
        alone = self.said(airlot(*self.plan()))
        result = mpirun(MPIS[0], 3, *self.plan())
        self.assertEqual(self.said(result), alone)
        self.assertIn("note: 100 devices are dealt in parts of 16384: 2 of 3 ranks idle", result.stderr)

    def refused(self, reason, result):
        """The first rank says why, once, and there is no plan, nor a part of one."""
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("error: "), 1, result.stderr)
        self.assertRegex(result.stderr, reason)
        self.assertEqual([path.name for path in self.folder.iterdir() if "plan" in path.name], [])

    def test_wrong_files(self):
        lines = self.fleet.read_text().splitlines()
        lines[-2] = "x,-3,1,0"
        self.fleet.write_text("\n".join(lines))
        for mpi in MPIS:
            self.refused(rf"error: .*fleet.csv:{len(lines) - 1}: distance_m = -3: must be >= 0", mpirun(mpi, 3, *self.plan()))
        lines[-2] = lines[7]
        self.fleet.write_text("\n".join(lines))
        self.refused(rf"error: .*fleet.csv:{len(lines) - 1}: id = .*: line 8 has the same", mpirun(MPIS[0], 3, *self.plan()))
        self.refused("error: .*missing.csv: cannot open", mpirun(MPIS[0], 2, *self.plan(fleet=self.folder / "missing.csv")))
        self.fleet.write_text("distance_m\n")
        self.refused("error: .*fleet.csv: has a header but no devices", mpirun(MPIS[0], 2, *self.plan()))

    def test_a_rank_with_another_file_and_one_that_has_none(self):
        for name in ("one", "two", "three"):
            (self.folder / name).mkdir()
        write_fleet(self.folder / "one" / "fleet.csv", 40000)
        write_fleet(self.folder / "two" / "fleet.csv", 40000, first_id=1)
        for other, reason in (("two", "the fleet is not that of rank 0: let all ranks read the same file"), ("three", "fleet.csv: cannot open: No such file")):
            arguments = list(map(str, self.plan(fleet="fleet.csv")))
            result = run([*LAUNCHERS[MPIS[0]], "-n", "1", "--wdir", str(self.folder / "one"), AIRLOT, *arguments, ":", "-n", "1", "--wdir",
                          str(self.folder / other), AIRLOT, *arguments])
            self.refused(rf"error: rank 1 of 2 \(.*\): {reason}", result)

    @unittest.skipUnless("openmpi" in MPIS, "MPICH cannot start where files must be small")
    def test_a_full_disk_in_one_rank(self):
        limited = self.folder / "limited"
        limited.write_text(f'#!/bin/sh\nulimit -f 60\nexec {AIRLOT} "$@"\n')
        limited.chmod(0o755)
        result = run([*LAUNCHERS["openmpi"], *together((1, (AIRLOT, *self.plan())), (1, (limited, *self.plan())))])
        self.refused("error: rank 1 of 2: .*plan.csv: cannot write: File too large", result)

    def test_what_needs_the_whole_fleet(self):
        for option, arguments in (("--report", ("--report", self.folder / "page.html")), ("--save-fleet", ("--save-fleet", self.folder / "x.csv")),
                                  ("round.time_weight", ("--set", "round.time_weight=1")), ("--vary", ("--vary", "radio.bandwidth_hz=1e6,1e7"))):
            self.refused(f"error: {option} is for one process", mpirun(MPIS[0], 2, *self.plan(*arguments)))
        self.refused("error: .*missing/plan.csv: cannot write: No such file", mpirun(MPIS[0], 2, *self.plan(output="missing/plan.csv")))
        self.refused("error: data.dataset = .* give the fleet a column samples",
                     mpirun(MPIS[0], 2, "plan", "float32-cell", "--set", "data.dataset=digits", "--set", "fleet.devices=40000", "-o",
                            self.folder / "plan.csv"))


class Errors(MpiTest):
    def refused(self, reason, result):
        """The first rank says why, once, and nothing is written."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("error: "), 1, result.stderr)
        self.assertRegex(result.stderr, reason)
        self.assertFalse((self.folder / "study").exists())

    def test_more_ranks_than_runs(self):
        result = self.fine(mpirun(MPIS[0], 4, "compare", "float32-cell", *self.keys(), "--strategies", "random", "--seeds", 1, "-o",
                                  self.folder / "study"))
        self.assertIn("note: there are 4 ranks for 1 run: the others idle", result.stderr)
        self.assertTrue((self.folder / "study" / "summary.json").exists())

    def test_ranks_with_other_scenarios(self):
        for mpi in MPIS:
            other = [*LAUNCHERS[mpi], *together((1, (AIRLOT, *self.compare("-o", self.folder / "study"))),
                                                (1, (AIRLOT, *self.compare("-o", self.folder / "study", **{"learning.rate": 0.3}))))]
            self.refused(r"error: rank 1 of 2 \(.*\): the scenario is not that of rank 0: give all ranks the same file", run(list(map(str, other))))

    def test_a_rank_that_cannot_read_the_scenario(self):
        scenario = self.folder / "mine.toml"
        scenario.write_text('name = "mine"\n')
        arguments = ("compare", "mine.toml", *self.keys(), "--strategies", "random", "--seeds", 2, "-o", self.folder / "study", "--quiet")
        other = [*LAUNCHERS[MPIS[0]], "-n", "1", "--wdir", self.folder, AIRLOT, *arguments, ":", "-n", "1", "--wdir", "/", AIRLOT, *arguments]
        self.refused(r"error: rank 1 of 2 \(.*\): .*mine\.toml", run(list(map(str, other))))

    def test_bad_input_is_said_once(self):
        self.refused("error: --set rounds=0: must be", mpirun(MPIS[0], 3, *self.compare("-o", self.folder / "study", rounds=0)))
        self.refused("error: The following argument was not expected|was not expected", mpirun(MPIS[0], 2, "compare", "--nonsense"))

    def test_a_folder_that_holds_runs(self):
        self.done(*self.compare("-o", self.folder / "runs"))
        before = bytes_in(self.folder / "runs")
        for mpi in MPIS:
            self.refused("error: .*holds runs already: add --resume", mpirun(mpi, 2, *self.compare("-o", self.folder / "runs")))
        self.assertEqual(bytes_in(self.folder / "runs"), before)

    def test_commands_for_one_process(self):
        for mpi in MPIS:
            self.refused("error: airlot link runs in one process, and 2 were started together: start it without mpirun",
                         mpirun(mpi, 2, "link"))
        self.refused("error: --part is for one process", mpirun(MPIS[0], 2, *self.arguments("--vary", "rounds=4,8", "--part", "1/2", "-o",
                                                                                         self.folder / "study")))
        result = self.fine(mpirun(MPIS[0], 2, "--version"))
        self.assertEqual(result.stdout, airlot("--version").stdout)

    def test_a_program_without_the_plugin(self):
        alone = self.folder / "bin" / "airlot"
        alone.parent.mkdir()
        shutil.copy(AIRLOT, alone)
        result = run([*LAUNCHERS[MPIS[0]], "-n", "2", str(alone), *map(str, self.compare("-o", self.folder / "study"))])
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"airlot-{MPIS[0]}.so is not there: build airlot where", result.stderr)
        self.assertFalse((self.folder / "study").exists())
        # One process needs none.
        self.fine(run([*LAUNCHERS[MPIS[0]], "-n", "1", str(alone), *map(str, self.compare("-o", self.folder / "study"))]))

    def test_other_programs(self):
        other = self.folder / "bin" / pathlib.Path(AIRLOT).name
        other.parent.mkdir()
        for path in (AIRLOT, *pathlib.Path(AIRLOT).parent.glob("airlot-*.so")):
            shutil.copy(path, other.parent)
        with open(other, "ab") as file:
            file.write(b"another build")
        arguments = self.compare("-o", self.folder / "study")
        result = run(list(map(str, [*LAUNCHERS[MPIS[0]], *together((1, (AIRLOT, *arguments)), (1, (other, *arguments)))])))
        self.refused(r"error: rank 1 of 2 \(.*\): the program is not that of rank 0: install the same build", result)


if __name__ == "__main__":
    unittest.main()
