"""Tests airlot sweep --part and --slurm, with a real Slurm of one machine that this test starts: munged, slurmctld, slurmd."""
import getpass
import json
import os
import shutil
import socket
import subprocess
import time
import unittest

from program import AIRLOT, ENVIRONMENT, airlot
from sweep_test import SweepTest, bytes_in

OPTIONS = ("--vary", "radio.bandwidth_hz=1e6,1e7,1e8", "--strategies", "random,probabilistic", "--seeds", 2)


def results_in(folder):
    """Returns the bytes of what a sweep leaves, without the scripts that ran it."""
    return {name: data for name, data in bytes_in(folder).items() if not name.startswith("slurm/")}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(is_true, what, seconds=120):
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > end:
            raise AssertionError(f"{what} took more than {seconds} s")
        time.sleep(0.2)


class PartTest(SweepTest):
    def refused(self, reason, *arguments, **options):
        """Runs a command that fails in one line, which gives the reason, and writes nothing."""
        before = sorted(self.folder.rglob("*"))
        result = airlot(*arguments, **options)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, r"\Aerror: [^\n]*\n\Z")
        self.assertIn(reason, result.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)


class Slurm:
    """A Slurm of this machine alone, whose files lie in one folder; it needs no service of the system."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        for name in ("state", "spool", "run"):
            (folder / name).mkdir(parents=True)
        os.chmod(folder, 0o755)  # munged wants that nobody else can write above its socket
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.socket = folder / "run" / "munge.socket"
        os.chmod(folder / "run", 0o755)
        self.ports = free_port(), free_port()
        host, user = socket.gethostname().split(".")[0], getpass.getuser()
        (folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={self.ports[0]}
SlurmdPort={self.ports[1]}
AuthType=auth/munge
AuthInfo=socket={self.socket}
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}

    def start(self):
        sbin = "/usr/sbin/"
        munge = f"{self.folder}/munged"
        self.spawn(sbin + "munged", "--foreground", f"--key-file={self.folder}/munge.key", f"--socket={self.socket}",
                   f"--log-file={munge}.log", f"--pid-file={munge}.pid", f"--seed-file={munge}.seed", "--force")
        wait_until(self.socket.exists, "munged")
        self.spawn(sbin + "slurmctld", "-D")
        self.spawn(sbin + "slurmd", "-D")
        wait_until(lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T").stdout, "a node that is idle")

    def spawn(self, *command):
        log = open(self.folder / "daemons.log", "ab")
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, env={**ENVIRONMENT, **self.environment}))
        log.close()

    def run(self, *command):
        return subprocess.run(command, capture_output=True, text=True, env={**ENVIRONMENT, **self.environment}, timeout=60)

    def stop(self):
        self.run("scancel", "--user", getpass.getuser())
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def wait_for_jobs(self):
        wait_until(lambda: not self.run("squeue", "--noheader").stdout.strip(), "the jobs", 300)


class Parts(PartTest):
    def test_parts_make_the_sweep_of_one_process(self):
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.done(*self.arguments(*OPTIONS, "-o", whole))
        started = [subprocess.Popen([AIRLOT, *self.arguments(*OPTIONS, "-o", parts, "--part", f"{part}/2")], env=ENVIRONMENT) for part in (1, 2)]
        self.assertEqual([process.wait(300) for process in started], [0, 0])
        self.assertFalse((parts / "cells.csv").exists())
        self.done(*self.arguments(*OPTIONS, "-o", parts, "--resume"))
        self.assertEqual(results_in(whole), results_in(parts))

    def test_more_parts_than_cells(self):
        folder = self.folder / "out"
        self.done(*self.arguments(*OPTIONS, "-o", folder, "--part", "9/9"))
        self.assertFalse((folder / "cells").exists())

    def test_bad_parts(self):
        for text in ("0/3", "4/3", "1", "1/", "/2", "a/b", "1/2/3", "-1/2", ""):
            with self.subTest(text):
                self.refused("--part", *self.arguments(*OPTIONS, "-o", self.folder / "out", f"--part={text}"))
        self.assertFalse((self.folder / "out").exists())
        self.refused("--output", *self.arguments(*OPTIONS, "--part", "1/2"))
        self.refused("--force", *self.arguments(*OPTIONS, "--part", "1/2", "-o", self.folder / "out", "--force"))

    def test_a_part_of_another_sweep_is_refused(self):
        folder = self.folder / "out"
        self.done(*self.arguments(*OPTIONS, "-o", folder, "--part", "1/3"))
        other = ("--vary", "radio.bandwidth_hz=1e6,1e7", *OPTIONS[2:])
        self.refused("holds a sweep of other keys or values", *self.arguments(*other, "-o", folder, "--part", "1/3"))


class Scripts(PartTest):
    def test_nothing_runs_until_it_is_submitted(self):
        folder = self.folder / "it's 100 %d"
        found = json.loads(self.done(*self.arguments(*OPTIONS, "-o", folder, "--slurm", "--tasks", 2, "--jobs", 2, "--threads", 3, "--sbatch=--time=1:00:00", "--json")))
        self.assertEqual((found["tasks"], found["job"], found["collecting_job"]), (2, None, None))
        self.assertFalse((folder / "cells").exists())
        for script in found["scripts"]:
            self.assertEqual(subprocess.run(["bash", "-n", script]).returncode, 0)
        cells = (folder / "slurm" / "cells.sh").read_text()
        for line in ("#SBATCH --array=1-2", "#SBATCH --cpus-per-task=6", "#SBATCH --time=1:00:00"):
            self.assertIn(line + "\n", cells)
        # The command of a task runs as bash reads it, whatever the folder is called.
        for task in "12":
            subprocess.run(["bash", folder / "slurm" / "cells.sh"], env={**ENVIRONMENT, "SLURM_ARRAY_TASK_ID": task}, check=True)
        subprocess.run(["bash", folder / "slurm" / "collect.sh"], env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
        self.done(*self.arguments(*OPTIONS, "-o", self.folder / "whole"))
        self.assertEqual(results_in(folder), results_in(self.folder / "whole"))

    def test_bad_input(self):
        folder = self.folder / "out"
        slurm = (*OPTIONS, "-o", folder, "--slurm")
        self.refused("an option of sbatch begins with -", *self.arguments(*slurm, "--sbatch", "time=1"))
        self.refused("--slurm", *self.arguments(*OPTIONS, "-o", folder, "--submit"))
        self.refused("--slurm", *self.arguments(*slurm, "--part", "1/2"))
        self.refused("--tasks", *self.arguments(*slurm, "--tasks", 0))
        self.refused("--tasks-at-a-time", *self.arguments(*slurm, "--sbatch=--array=1-3%1"))
        self.refused("backslash", *self.arguments(*OPTIONS, "-o", self.folder / "a\\b", "--slurm"))
        self.refused("airlot data fetch cifar10", *self.arguments(*slurm, "--set", "data.dataset=cifar10"))
        piped = list(self.arguments(*slurm))
        piped[1] = "/dev/stdin"
        self.refused("save it to a file", *piped, input="rounds = 4\n")
        # Where there is no sbatch, the scripts are there all the same.
        result = airlot(*self.arguments(*slurm, "--submit", "--force"), env={"PATH": self.path_without_sbatch()})
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("there is no sbatch here", result.stderr)
        self.assertTrue((folder / "slurm" / "submit.sh").exists())

    def test_what_was_said_is_what_tasks_do(self):
        (self.folder / "real").mkdir()
        (self.folder / "link").symlink_to(self.folder / "real", target_is_directory=True)
        self.done(*self.arguments(*OPTIONS, "-o", self.folder / "real" / ".." / "link" / "study", "--slurm", "--no-participants=false",
                                  "--tasks-at-a-time", 2, "--sbatch=--comment=two words"))
        cells = (self.folder / "real" / "study" / "slurm" / "cells.sh").read_text()
        self.assertIn("--no-participants=false", cells)
        self.assertIn(f"--output={self.folder / 'real' / 'study'} ", cells)
        for line in ("#SBATCH --array=1-3%2", '#SBATCH --comment="two words"'):
            self.assertIn(line + "\n", cells)

    def path_without_sbatch(self):
        tools = self.folder / "bin"
        tools.mkdir()
        for name in ("bash", "dirname"):
            (tools / name).symlink_to(shutil.which(name))
        return str(tools)


class RealSlurm(SweepTest):
    def setUp(self):
        super().setUp()
        self.slurm = Slurm(self.folder / "cluster")
        self.addCleanup(self.slurm.stop)
        self.slurm.start()

    def submitted(self, folder, *options):
        result = airlot(*self.arguments(*options, "-o", folder, "--slurm", "--submit", "--json"), env=self.slurm.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def logs(self, folder):
        return "".join(path.read_text() for path in sorted((folder / "slurm").glob("*.log")))

    def test_an_array_job_gives_the_bytes_of_one_process(self):
        folder, whole = self.folder / "by slurm", self.folder / "whole"
        found = self.submitted(folder, *OPTIONS)
        self.assertEqual(found["tasks"], 3)
        self.assertTrue(found["job"].isdigit() and found["collecting_job"].isdigit())
        self.slurm.wait_for_jobs()
        self.done(*self.arguments(*OPTIONS, "-o", whole))
        self.assertEqual(results_in(folder), results_in(whole), self.logs(folder))
        self.assertTrue((folder / "slurm" / "cells-3.log").exists())

    def test_what_tasks_leave_is_run_by_the_next_submission(self):
        folder, whole = self.folder / "out", self.folder / "whole"
        options = ("--vary", "radio.bandwidth_hz=1e6,1e7", "--strategies", "random", "--seeds", 1, "--set", "rounds=1500", "--set", "evaluate_every=500")
        found = self.submitted(folder, *options)
        wait_until(lambda: list(folder.glob("cells/*/*/seed-*")), "a run that has begun")
        self.slurm.run("scancel", found["collecting_job"])
        self.slurm.run("scancel", "--batch", "--signal=TERM", found["job"])
        # A task that has not begun yet is not told.
        self.slurm.run("scancel", "--state=PENDING", found["job"])
        self.slurm.wait_for_jobs()
        # A run that is complete has none.
        self.assertTrue(list(folder.glob("cells/*/*/seed-*/checkpoint")), self.logs(folder))
        self.assertFalse((folder / "cells.csv").exists())
        again = self.slurm.run("bash", str(folder / "slurm" / "submit.sh"))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.slurm.wait_for_jobs()
        self.done(*self.arguments(*options, "-o", whole))
        self.assertEqual(results_in(folder), results_in(whole), self.logs(folder))


if __name__ == "__main__":
    unittest.main()
