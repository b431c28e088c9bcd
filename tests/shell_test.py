"""Tests what makes the program at home in a shell: completion, manual pages, scenarios as text, narrow terminals."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time
import unittest
from pathlib import Path

from program import AIRLOT, ENVIRONMENT, ProgramTest, airlot, commands, write_small_data

TOP = Path(__file__).resolve().parent.parent
FOLDER = str(Path(AIRLOT).parent)
IN_PATH = {**ENVIRONMENT, "PATH": f"{FOLDER}:{os.environ['PATH']}"}
SCENARIOS = sorted(path.stem for path in (TOP / "scenarios").glob("*.toml"))


def tried_in_a_terminal(columns, *arguments, lines=24, **options):
    """Runs the program in a terminal of so many columns; returns what it shows, and the code it ends with."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    shown = b""

    def read():  # The program waits where the terminal is full, so that it is read meanwhile.
        nonlocal shown
        while not shown.endswith(b"\0"):
            shown += os.read(ours, 65536)

    reader = threading.Thread(target=read)
    reader.start()
    code = subprocess.run([AIRLOT, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                          env={**ENVIRONMENT, "LC_ALL": "C.UTF-8"}, **options).returncode
    os.write(theirs, b"\0")  # What is on its way when the last writer closes a terminal can be lost: this comes after it.
    reader.join()
    os.close(theirs)
    os.close(ours)
    return shown[:-1].decode().replace("\r\n", "\n"), code


class Run(ProgramTest):
    """./run beside a program and a set-up that only note what they are called for."""

    def called(self, *arguments, missing=()):
        """Returns the calls of ./run; commands that begin with a word of `missing` miss MNIST until it is fetched."""
        shutil.copy(TOP / "run", self.folder)
        (self.folder / "tools").mkdir(exist_ok=True)
        (self.folder / "build/release").mkdir(parents=True, exist_ok=True)
        calls = self.write("calls", "")
        (self.folder / "fetched").unlink(missing_ok=True)
        self.write("tools/setup.sh", f"""build_packages=
install_packages() {{ :; }}
configure_and_build() {{ :; }}
fetch_mnist() {{ echo fetch >> {calls}; touch {self.folder}/fetched; }}
""")
        program = self.write("build/release/airlot", f"""#!/bin/bash
if [[ " {' '.join(missing)} " == *" $1 "* && ! -e {self.folder}/fetched ]]; then
  echo 'error: mnist: is not in the cache (x): run "airlot data fetch mnist"' >&2
  exit 2
fi
echo "$*" >> {calls}
[ "$1" != wrong ] || exit 2
""")
        program.chmod(0o755)
        code = subprocess.run([self.folder / "run", *arguments], capture_output=True, stdin=subprocess.DEVNULL,
                              env={**ENVIRONMENT, "XDG_CACHE_HOME": str(self.folder)}).returncode
        return calls.read_text().splitlines(), code

    def test_fetches_mnist_only_where_it_is_missed(self):
        self.assertEqual(self.called("plan", "mine.toml"), (["plan mine.toml"], 0))
        self.assertEqual(self.called("plan", "--check", "--fleet", "f.csv"), (["plan --check --fleet f.csv"], 0))
        self.assertEqual(self.called("train", missing=["train"]), (["fetch", "train"], 0))
        self.assertEqual(self.called(), (["fetch", "reproduce --quick"], 0))
        calls, code = self.called("wrong")
        self.assertNotIn("fetch", calls)
        self.assertEqual(code, 2)


class Completion(ProgramTest):
    """The shells ask `airlot complete WORDS...`; each is tried for real."""

    def complete(self, *words):
        lines = self.done("complete", *words).splitlines()
        return [line.split("\t")[0] for line in lines]

    def test_commands_and_options(self):
        self.assertEqual(self.complete("pl"), ["plan"])
        self.assertEqual(self.complete("help", "pl"), ["plan"])
        self.assertEqual(set(self.complete("bench", "")),
                         {"planning", "bandwidth", "learning", "selection", "simulation"})
        self.assertEqual(self.complete("plan", "--che"), ["--check"])
        self.assertNotIn("--check", self.complete("plan", "--check", "--"))
        self.assertIn("--set", self.complete("plan", "--set", "rounds=1", "--"))
        self.assertEqual(self.complete("plan", "--", "--che"), [":paths"])
        self.assertEqual(self.complete("nonsense", "x"), [])
        for command in commands():
            options = set(re.findall(r"(--[a-z-]+)", airlot(*command, "--help").stdout.partition("Example:")[0]))
            self.assertLessEqual({"--help", "--version"}, options)
            self.assertLessEqual(set(self.complete(*command, "--")), options, command)

    def test_values(self):
        self.assertEqual(sorted(self.complete("plan", "")), sorted([*SCENARIOS, ":paths"]))
        self.assertEqual(self.complete("plan", "paper-h"), ["paper-highly-biased", ":paths"])
        self.assertEqual(self.complete("compare", "urban-cell", "equ"), ["equal-rules", ":paths"])
        self.assertEqual(self.complete("plan", "urban-cell", ""), [])
        self.assertEqual(self.complete("plan", "--solver", "bis"), ["bisection"])
        self.assertEqual(self.complete("plan", "--solver=bis"), ["--solver=bisection"])
        self.assertEqual(self.complete("plan", "--bandwidth", ""), ["equal", "shared", "blocks"])
        self.assertEqual(self.complete("plan", "--fleet", ""), [":paths"])
        self.assertEqual(self.complete("plan", "--seed", ""), [])
        self.assertEqual(self.complete("compare", "--strategies", "oort,fedcs-"), ["oort,fedcs-parallel"])
        self.assertIn("every", self.complete("sweep", "--strategies", "e"))
        self.assertEqual(self.complete("list", "sc"), ["scenarios"])
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])

    def test_keys(self):
        keys = [row["name"] for row in self.json("list", "keys")]
        self.assertEqual(self.complete("plan", "--set", ""), [f"{key}=" for key in keys])
        self.assertEqual(self.complete("plan", "--set", "radio.path_loss=inv"), ["radio.path_loss=inverse-square"])
        self.assertEqual(self.complete("plan", "--set=radio.path_loss=inv"), ["--set=radio.path_loss=inverse-square"])
        self.assertEqual(self.complete("plan", "--set", "radio.shadowing="), ["radio.shadowing=true", "radio.shadowing=false"])
        self.assertEqual(self.complete("plan", "--set", "fleet.file="), [":paths"])
        self.assertEqual(self.complete("plan", "--set", "data.partition_file="), [":paths"])
        datasets = [entry["name"] for entry in self.json("list", "datasets")]
        self.assertEqual(self.complete("plan", "--set", "data.dataset="), [*(f"data.dataset={name}" for name in datasets), ":paths"])
        self.assertEqual(self.complete("data", "info", ""), [*datasets, ":paths"])
        self.assertEqual(self.complete("data", "info", "fash"), ["fashion-mnist", ":paths"])
        models = [entry["name"] for entry in self.json("list", "models")]
        self.assertEqual(self.complete("train", "--set", "model.name="), [f"model.name={name}" for name in models])
        self.assertEqual(self.complete("train", "--set", "model.name=res"), ["model.name=resnet8"])
        self.assertEqual(self.complete("plan", "--set", "radio.mcs="), ["radio.mcs=cqi", ":paths"])
        self.assertIn("radio.bandwidth_hz=", self.complete("sweep", "--vary", "radio.band"))

    def test_bash(self):
        """bash asks the function as it does after a tab, with its own idea of where words end."""
        script = r"""
            eval "$(airlot completion bash)"
            complete -p airlot
            cd "$1"
            try() {
              COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
              _airlot airlot
              printf '%s|' "${COMPREPLY[@]}"
              echo
            }
            try 'airlot pl'
            try 'airlot plan --set radio.path_loss=inv'
            try 'airlot plan --set radio.bandwi'
            try 'airlot plan --solver=bis'
            try 'airlot compare --strategies oort,fedcs-'
            try 'airlot plan --fleet my'
            try 'airlot plan --set fleet.file=my'
        """
        (self.folder / "my fleet.csv").touch()
        shown = subprocess.run(["bash", "--norc", "-c", script, "bash", self.folder], env=IN_PATH, capture_output=True, text=True)
        self.assertEqual(shown.stdout.splitlines(), [
            "complete -F _airlot airlot", "plan|", "inverse-square|", "radio.bandwidth_hz=|", "bisection|",
            "oort,fedcs-parallel|", "my fleet.csv|", "my fleet.csv|"], shown.stderr)

    def typed_into(self, shell, keys, until):
        """Types keys into a shell with a terminal; returns what it shows, as soon as that has `until`."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execvpe(shell[0], shell, {**IN_PATH, "TERM": "dumb", "HOME": str(self.folder)})
        shown, deadline = "", time.monotonic() + 60
        try:
            os.write(terminal, keys.encode())
            while until not in shown and time.monotonic() < deadline:
                if select.select([terminal], [], [], 1)[0]:
                    shown += os.read(terminal, 4096).decode(errors="replace")
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(terminal)
        self.assertIn(until, shown)
        return re.sub(r"\x1b\[[?\d;]*[a-zA-Z]|[\x07\r]", "", shown)

    def test_bash_with_a_keyboard(self):
        shown = self.typed_into(["bash", "--norc", "-i"], 'eval "$(airlot completion bash)"\n'
                                "airlot scena\turb\t--resol\t| grep -c radio; echo fin''ished\n", "finished")
        self.assertIn("airlot scenario urban-cell --resolved ", shown)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is missing")
    def test_zsh(self):
        subprocess.run(["zsh", "-n"], input=airlot("completion", "zsh").stdout, text=True, check=True)
        (self.folder / "_airlot").write_text(airlot("completion", "zsh").stdout)
        shown = self.typed_into(["zsh", "-f", "-i"], "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D\n"
                                "airlot scena\turb\t--resol\t--set radio.shar\tblo\t | grep -c radio; echo fin''ished\n", "finished\r\n")
        self.assertIn("radio.sharing=blocks", shown)
        self.assertIn("urban-cell", shown)

    @unittest.skipUnless(shutil.which("fish"), "fish is missing")
    def test_fish(self):
        def complete(line):
            script = f"airlot completion fish | source; complete -C '{line}'"
            shown = subprocess.run(["fish", "--no-config", "-c", script], env={**IN_PATH, "HOME": str(self.folder)}, cwd=self.folder,
                                   capture_output=True, text=True)
            self.assertEqual(shown.stderr, "")
            return [word.split("\t")[0] for word in shown.stdout.splitlines()]

        (self.folder / "mine.csv").touch()
        self.assertEqual(complete("airlot pl"), ["plan"])
        self.assertEqual(complete("airlot plan --set radio.path_loss=inv"), ["radio.path_loss=inverse-square"])
        self.assertEqual(complete("airlot compare --strategies oort,fedcs-"), ["oort,fedcs-parallel"])
        self.assertEqual(complete("airlot plan --fleet mi"), ["mine.csv"])


class ManualPages(ProgramTest):
    def test_every_command_has_a_page_without_faults(self):
        self.done("man", "--folder", self.folder / "man1")
        pages = {path.name: path for path in (self.folder / "man1").iterdir()}
        self.assertEqual(set(pages), {"-".join(("airlot", *words)) + ".1" for words in commands()})
        for name, path in pages.items():
            shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", path], capture_output=True, text=True,
                                   env={**ENVIRONMENT, "MANWIDTH": "80", "MANROFFOPT": "-ww", "LC_ALL": "C.UTF-8"})
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), name)

    def test_a_page_has_what_help_has(self):
        for words in commands():
            page = self.done("man", *words)
            shown = subprocess.run(["man", "-l", "-Tascii", "-"], input=page, capture_output=True, text=True,
                                   env={**ENVIRONMENT, "MANWIDTH": "200"}).stdout
            shown = re.sub(r".\x08", "", re.sub(r"\x1b\[\d*m", "", shown))
            text = " ".join(shown.split())
            help_text, _, examples = self.done(*words, "--help").partition("Example:\n")
            for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", help_text, re.M):
                self.assertIn(option, text)
            for name in re.findall(r"^  ([a-z]\S*)", help_text.partition("\nSubcommands:\n")[2], re.M):
                self.assertIn("-".join(("airlot", *words, name)) + "(1)", text)
            self.assertTrue(examples)
            for example in examples.strip().splitlines():
                self.assertIn(" ".join(example.split()), text)

    def test_the_page_of_scenarios_has_every_key(self):
        page = self.done("man", "scenario").replace("\\-", "-")
        for key in self.json("list", "keys"):
            self.assertIn(f"\\fB{key['name']}\\fR", page)

    def test_bad_usage(self):
        self.fails('there is no command "plam": airlot --help has those that there are', "man", "plam")
        self.fails("SHELL is required (see airlot completion --help)", "completion")
        self.fails('SHELL: "bsh": did you mean bash? (see airlot completion --help)', "completion", "bsh")


class Scenarios(ProgramTest):
    def test_built_in_ones_are_printed_as_they_stand(self):
        for name in SCENARIOS:
            self.assertEqual(self.done("scenario", name), (TOP / f"scenarios/{name}.toml").read_text())
        self.assertEqual(self.done("scenario"), self.done("scenario", "float32-cell"))

    def test_a_resolved_scenario_reads_back(self):
        overrides = ("--set", "radio.path_loss=umi", "--set", "radio.base_height_m=10", "--set", "strategy.airtime.fairness=2", "--set", "targets=[0.5]")
        for name in SCENARIOS:
            for settings in ((), overrides):
                text = self.done("scenario", name, "--resolved", *settings)
                again = self.write("again.toml", text)
                self.assertEqual(self.done("scenario", again, "--resolved"), text)
                for key in self.json("list", "keys"):
                    section, _, last = key["name"].rpartition(".")
                    part = text.partition(f"\n[{section}]\n")[2].partition("\n[")[0] if section else text.partition("\n[")[0]
                    self.assertRegex(part, rf"(?m)^(# )?{last} (=|is not set)", key["name"])
                plan = ("plan", "--set", "data.dataset=", "-o", "-")
                planned = airlot(*plan, name, *settings).stdout
                self.assertTrue(planned)
                self.assertEqual(airlot(*plan, again).stdout, planned)
        self.assertIn('path_loss = "umi"', text)
        self.assertIn("fairness = 2", text)

    def test_of_a_file(self):
        text = "# Mine\n[fleet]\nfile = \"fleet.csv\"\t# a tab\n"
        mine = self.write("mine.toml", text)
        self.write("fleet.csv", "distance_m\n10\n")
        self.assertEqual(self.done("scenario", mine), text)
        resolved = self.write("elsewhere.toml", self.done("scenario", mine, "--resolved"))
        self.assertIn(f'file = "{self.folder}/fleet.csv"', resolved.read_text())
        self.assertIn('name = "mine"', resolved.read_text())
        with mine.open() as stream:
            self.assertEqual(airlot("scenario", "/dev/stdin", stdin=stream).stdout, text)

    def test_errors(self):
        self.fails('unknown scenario "urban-cel": did you mean urban-cell? (built in: '
                   f"{', '.join(row['name'] for row in self.json('list', 'scenarios'))}; a file needs a '/' or ends in .toml)",
                   "scenario", "urban-cel")
        self.fails("none.toml: cannot open: No such file or directory", "scenario", self.folder / "none.toml")
        for name in ("fleet.csv", self.write("fleet.npz", "")):
            self.fails(f"{Path(name).name}: is no scenario: a fleet is given by plan --fleet, or by fleet.file of a scenario", "plan", name)
        self.fails("--set requires --resolved (see airlot scenario --help)", "scenario", "--set", "rounds=3")
        bad = self.write("bad.toml", "rounds = -1\n")
        self.assertRegex(airlot("scenario", bad).stderr, "bad.toml:1: rounds = -1: must be ")


class Repetition(ProgramTest):
    """The report's command names the user's file, with what was set in addition."""

    def command_of(self, page):
        text = re.search(r"<pre[^>]*>(airlot .*?)</pre>", page.read_text(), re.S)[1]
        for entity, sign in (("&#39;", "'"), ("&#x27;", "'"), ("&quot;", '"'), ("&gt;", ">"), ("&lt;", "<"), ("&amp;", "&")):
            text = text.replace(entity, sign)
        return text

    def setUp(self):
        super().setUp()
        write_small_data(self.folder / "data")
        (self.folder / "it's mine").mkdir()
        self.file = self.write("it's mine/scenario.toml", '[data]\ndataset = "../data"\nminimum_samples = 1\n[fleet]\ndevices = 10\n'
                               '[model]\nname = "mlp"\n[round]\ntime_limit_s = 100\n[learning]\nbatch = 32\nlocal_steps = 2\n')

    def test_runs(self):
        runs = self.folder / "runs"
        self.done("compare", "it's mine/scenario.toml", "--set", "rounds=2", "--seeds", "1", "--strategies", "uniform,all", "--quiet",
                  "-o", runs, cwd=self.folder)
        command = self.command_of(runs / "report.html")
        self.assertEqual(command.count("--set"), 1)
        self.assertIn("scenario.toml'", command)
        again = self.folder / "again"
        subprocess.run(command.replace("airlot", AIRLOT, 1) + f" -o {again} --quiet", shell=True, check=True, capture_output=True, cwd="/")
        for path in runs.rglob("*.csv"):
            self.assertEqual(path.read_bytes(), (again / path.relative_to(runs)).read_bytes())
        # A directory of an earlier version does not say what was set in addition.
        manifest = json.loads((runs / "manifest.json").read_text())
        del manifest["overrides"]
        (runs / "manifest.json").write_text(json.dumps(manifest))
        self.done("report", runs, "--quiet")
        self.assertNotIn("mine/scenario.toml", (runs / "report.html").read_text())

    def test_plan(self):
        page = self.folder / "plan.html"
        self.done("plan", self.file, "--solver", "bisection", "--report", page, "-o", self.folder / "plan.csv")
        command = self.command_of(page)
        self.assertEqual(command.count("--set"), 1)
        subprocess.run(command.replace("airlot", AIRLOT, 1) + f" -o {self.folder}/again.csv", shell=True, check=True, capture_output=True)
        self.assertEqual((self.folder / "again.csv").read_text(), (self.folder / "plan.csv").read_text())


class NarrowTerminals(ProgramTest):
    def check(self, columns, *arguments, **options):
        """Nothing is wider than the terminal."""
        shown, code = tried_in_a_terminal(columns, *arguments, **options)
        self.assertEqual(code, 0, shown)
        for line in shown.splitlines():
            if " " in line.strip() or "█" in line:  # No word is broken.
                self.assertLessEqual(len(line), columns, line)
        return shown

    def test_lists_and_plans(self):
        for columns in (40, 60, 80, 120):
            for arguments in (("list",), ("list", "keys"), ("list", "strategies"), ("plan",), ("plan", "--airtime"),
                              ("link", "urban-cell", "--distance-m", "300"), ("data", "partition")):
                small = ("--set", "data.dataset=digits") if arguments[0] in ("plan", "data") else ()
                shown = self.check(columns, *arguments, *small)
                plain = airlot(*arguments, *small, env={"LC_ALL": "C.UTF-8"}).stdout

                def words(text):  # A bar is as wide as there is room; times differ from call to call.
                    return [word for word in re.sub(r"Solved in \S+|█+", "", text).split()]

                self.assertEqual(words(shown), words(plain), arguments)

    def test_draws_images_and_helps(self):
        self.done("plan", "fleet", "--set", "fleet.devices=9", "-o", self.folder / "plan.csv", "--quiet")
        for columns in (40, 60, 80):
            self.check(columns, "draw", "plan.csv", "--rounds", "30", cwd=self.folder)
            self.check(columns, "draw", "plan.csv", "--rounds", "1", "-o", f"{columns}.csv", cwd=self.folder)
            shown = self.check(columns, "data", "info", "digits")
            labels, *rows = shown.partition("The first images to train\n")[2].splitlines()
            images = columns // 16
            self.assertEqual(len(labels.split()), images)
            self.assertEqual(len(rows), (columns // images - 2) // 2)  # None is broken.
            for command in commands():
                self.check(columns, *command, "--help")

    def test_notes_and_errors(self):
        (self.folder / "mine.csv").write_text("id,colour\na,red\n")
        for columns in (40, 60, 80):
            shown, code = tried_in_a_terminal(columns, "plan", "--fleet", "mine.csv", cwd=self.folder)
            self.assertEqual(code, 2)
            self.assertTrue(shown.startswith("error: mine.csv:1: unknown column"), shown)
            for line in shown.splitlines():
                self.assertLessEqual(len(line), columns, line)
            shown = self.check(columns, "plan", "--fleet", "mine.csv", "--ignore-unknown", cwd=self.folder)
            self.assertIn("note: mine.csv: ", shown)

    def test_what_devices_need(self):
        """Where the table is too wide it is drawn in parts, each with the ids, and no value is broken."""
        sensors = ("plan", "--fleet", TOP / "scenarios/sensors-example.csv", "--set", "round.min_probability=0.7")
        needy = self.json(*sensors)["floor"]["shortfalls"]
        for columns in (40, 60, 80):
            shown = self.check(columns, *sensors)
            table = shown.partition("What each would need, alone:\n")[2].partition("\n\n")[0]
            self.assertEqual("┌" in table, columns < 68)
            parts = max(1, table.count("┌"))
            self.assertEqual(parts > 1, columns < 68)
            for device in needy:
                self.assertEqual(len(re.findall(rf"^[ │]*{device['id']} ", table, re.M)), parts, table)
            nulls = sum(value is None for device in needy for value in device.values())
            self.assertGreater(nulls, 0)
            self.assertEqual(table.count("not enough"), nulls)

    def test_json_stays_as_it_is(self):
        shown, _ = tried_in_a_terminal(40, "list", "keys", "--json")
        self.assertEqual(shown, airlot("list", "keys", "--json").stdout)

    def test_tables_and_verdicts(self):
        data = write_small_data(self.folder / "data")
        small = ("--set", f"data.dataset={data}", "--set", "model.name=mlp", "--set", "fleet.devices=10", "--set",
                 "data.minimum_samples=1", "--set", "rounds=3", "--set", "round.time_limit_s=100")
        for columns in (40, 60, 79):
            runs = self.folder / f"runs-{columns}"
            shown = self.check(columns, "compare", *small, "--seeds", "2", "-o", runs.name, "--quiet", cwd=self.folder)
            for strategy in ("probabilistic", "equally-weighted"):
                self.assertIn(f"│ {strategy} ", shown)
            self.check(columns, "report", runs.name, "--effects", "--quiet", cwd=self.folder)
            shown = self.check(columns, "sweep", *small, "--vary", "radio.bandwidth_hz=1e6,1e7", "--strategies", "uniform,all",
                               "--seeds", "2", "-o", f"sweep-{columns}", "--quiet", cwd=self.folder)
            heads = re.findall(r"^│ bandwidth_?h?z? +│ strategy │ ", shown, re.M)  # Each part names its rows.
            self.assertEqual(len(heads), shown.count("┌"))

    def test_progress_leaves_no_trail(self):
        """The screen after it is what a terminal without progress shows."""
        data = write_small_data(self.folder / "data")
        small = ("--set", f"data.dataset={data}", "--set", "model.name=mlp", "--set", "fleet.devices=10", "--set",
                 "data.minimum_samples=1", "--set", "rounds=400", "--set", "evaluate_every=100", "--jobs", "2")
        for columns, lines in ((40, 24), (60, 4), (100, 24)):
            shown, code = tried_in_a_terminal(columns, "compare", *small, "--seeds", "2", "-o", f"runs-{columns}", lines=lines,
                                              cwd=self.folder)
            self.assertEqual(code, 0)
            self.assertIn("\x1b[J", shown)
            for frame in shown.split("\x1b[J"):
                text = re.sub(r"\x1b\[\d*[A-Z]|\r", "", frame)
                for line in text.splitlines():
                    self.assertLessEqual(len(line), columns)
            for up in re.findall(r"\x1b\[(\d+)A", shown):
                self.assertLess(int(up), lines)

    def test_a_long_check_says_how_far_it_is(self):
        """A thousand levels for each of many devices take a while; nobody waits for the end of it here."""
        fleet = self.write("fleet.csv", "path_loss_db\n" + "100\n" * 300000)
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen(
            [AIRLOT, "plan", "--fleet", fleet, "--check", "--set", "radio.mcs=cqi", "--set", "radio.min_power_w=1e-9", "--set",
             "radio.power_step_db=0.09", "--set", "radio.bandwidth_hz=1e9"],
            stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env={**ENVIRONMENT, "LC_ALL": "C.UTF-8"})
        shown, end = "", time.monotonic() + 300
        while not re.search(r"checking the plan █* *[1-9]\d* %, \d+ s left", shown) and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                shown += os.read(ours, 65536).decode(errors="replace")
            elif process.poll() is not None:
                break
        was_running = process.poll() is None
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)
        self.assertTrue(was_running, shown)
        self.assertIn("checking the plan", shown)


if __name__ == "__main__":
    unittest.main()
