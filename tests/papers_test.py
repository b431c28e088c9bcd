"""Tests figures and tables for papers: they are typeset by Debian's TeX, and so is docs/example-paper."""
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import AIRLOT, ENVIRONMENT, ProgramTest, airlot, write_small_data

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = tempfile.TemporaryDirectory()
DATA = write_small_data(Path(SCRATCH.name) / "small-data")
SMALL = ("--set", f"data.dataset={DATA}", "--set", "rounds=12", "--set", "evaluate_every=4", "--set",
         "model.name=mlp", "--set", "round.time_limit_s=1", "--set", "fleet.devices=20", "--set",
         "data.minimum_samples=2", "--quiet")
# All that means something to LaTeX, signs beyond ASCII, and letters that it does not know.
NASTY = "a_b%{}$\\#&^~ φ≥±× --é中 [x] <|>\"'`"
WIDTHS_BP = {"one": 3.5 * 72, "two": 7.16 * 72}
TABLES = {"targets-time", "targets-energy", "whole-runs", "budgets", "classes", "plan", "rounds"}


def told(*arguments):
    return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, check=True).stdout


def fonts_of(pdf):
    """Returns the fonts of a PDF: whether each is embedded, and its type."""
    fonts = {}
    for line in told("pdffonts", pdf).splitlines()[2:]:
        name, kind, embedded = re.match(r"(\S+)\s+(.+?)\s{2,}.*?\s(yes|no)\s+(?:yes|no)\s+(?:yes|no)\s+\d+", line).groups()
        fonts[name.split("+")[-1]] = (embedded == "yes", kind)
    return fonts


def typeset(folder, text, preamble=""):
    """Typesets a document around a text; returns the log."""
    (folder / "document.tex").write_text(
        "\\documentclass[10pt]{article}\\usepackage[textwidth=7.16in,textheight=9.4in]{geometry}\\usepackage{pgfplots}"
        f"\\pgfplotsset{{compat=1.16}}\\usepackage{{booktabs}}{preamble}\\parindent=0pt\\begin{{document}}\n{text}\n"
        "\\end{document}\n")
    result = subprocess.run(["pdflatex", "-no-shell-escape", "-interaction=batchmode", "-halt-on-error", "document.tex"],
                            cwd=folder, capture_output=True, text=True)
    log = (folder / "document.log").read_text(errors="replace")
    assert result.returncode == 0, log[log.find("\n!"):][:800]
    return log


def faults_of(log, most_pt):
    """Returns the complaints of a log: what is undefined or missing, and boxes that are too wide."""
    faults = re.findall(r".*(?:undefined|Missing character).*", log)
    for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log):
        if float(width) > most_pt:
            faults.append(f"overfull by {width} pt")
    return faults


class Papers(ProgramTest):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.runs = Path(scratch.name) / "runs"
        result = airlot("compare", "paper-highly-biased", *SMALL, "--strategies", "probabilistic,deterministic,uniform",
                        "--seeds", "3", "-o", cls.runs)
        assert result.returncode == 0, result.stderr

    def nasty(self):
        """Makes a run directory whose names are hard on LaTeX."""
        copy = Path(shutil.copytree(self.runs, self.folder / "nasty"))
        manifest = json.loads((copy / "manifest.json").read_text())
        scenario = re.sub(r"(?m)^name = .*", lambda _: f"name = {json.dumps(NASTY, ensure_ascii=False)}",
                          manifest["scenario"], count=1)
        strategies = [NASTY if name == "uniform" else name for name in manifest["strategies"]]
        (copy / "manifest.json").write_text(json.dumps({**manifest, "scenario": scenario, "strategies": strategies}))
        (copy / "uniform").rename(copy / NASTY)
        return copy

    def check_pdfs(self, folder, columns):
        names = {path.stem for path in folder.glob("*.csv")} - {"effects"}  # the data of tables
        self.assertGreater(len(names), 10)
        self.assertEqual({path.stem for path in folder.glob("*.pdf")}, names)
        for name in sorted(names):
            with self.subTest(name, columns=columns):
                info = told("pdfinfo", folder / f"{name}.pdf")
                self.assertIn("Pages:           1\n", info)
                width, height = map(float, re.search(r"Page size: +([\d.]+) x ([\d.]+) pts", info).groups())
                # A picture that is wider than the columns has a wider page; pdfinfo rounds to six digits.
                self.assertAlmostEqual(width, WIDTHS_BP[columns], delta=0.02)
                self.assertTrue(50 < height < 72 * 9.4, height)
                fonts = fonts_of(folder / f"{name}.pdf")
                self.assertTrue(fonts)
                for font, (is_embedded, kind) in fonts.items():
                    self.assertTrue(is_embedded, font)
                    self.assertEqual(kind, "Type 1", font)

    def test_a_sweep_has_a_figure_for_each_panel(self):
        runs, out = self.folder / "sweep", self.folder / "out"
        self.done("sweep", "float32-cell", *SMALL, "--vary", "data.partition=iid,shards", "--vary", "radio.bandwidth_hz=1e6,1e7",
                  "--strategies", "random,probabilistic", "--seeds", 2, "-o", runs)
        self.done("report", runs, "--figures", out, "--heat-maps", "--formats", "pdf,latex", "--quiet")
        for name in ("sweep-accuracy-1", "sweep-accuracy-2", "heat-accuracy-1"):
            self.assertIn("Pages:           1\n", told("pdfinfo", out / f"{name}.pdf"))
        self.assertEqual(faults_of(typeset(out, "\\input{table-cells.tex}"), 1), [])

    def test_formats_of_choice(self):
        self.done("report", self.runs, "--figures", self.folder / "all")
        kinds = {suffix: {path.stem for path in (self.folder / "all").glob(f"*.{suffix}")} for suffix in ("svg", "csv", "tex", "pdf")}
        self.assertEqual(kinds["svg"] | {"effects"}, kinds["csv"])
        self.assertEqual(kinds["pdf"], set())
        # What was tested has a table of effects each, and the accuracy at the end was.
        effects = {name for name in kinds["tex"] if name.startswith("table-effects-")}
        self.assertIn("table-effects-1", effects)
        self.assertEqual(kinds["tex"] - effects, kinds["svg"] | {f"table-{name}" for name in TABLES})
        self.done("report", self.runs, "--figures", self.folder / "some", "--formats", "csv, latex")
        self.assertEqual({path.name for path in (self.folder / "some").iterdir()},
                         {f"{name}.csv" for name in kinds["csv"]} | {f"{name}.tex" for name in effects | {f"table-{name}" for name in TABLES}})

    def test_bad_options(self):
        self.fails('--formats: "png": did you mean svg? (see airlot report --help)', "report", self.runs, "--figures", self.folder / "out", "--formats",
                   "svg,png", "--quiet")
        self.fails('--columns: "three": must be one of one, two (see airlot report --help)', "report", self.runs, "--figures", self.folder / "out",
                   "--columns", "three")
        self.fails("--no-titles: is for figures; add --figures FOLDER", "report", self.runs, "--no-titles")

    @classmethod
    @functools.cache
    def typeset_figures(cls, columns):
        """Typesets every figure, once for all tests, because that takes long; returns the folder."""
        out = cls.runs.parent / f"figures-{columns}"
        result = airlot("report", cls.runs, "--figures", out, "--formats", "csv,pdf", "--columns", columns)
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
        return out

    def test_every_figure_is_typeset_in_both_widths(self):
        for columns in WIDTHS_BP:
            out = self.typeset_figures(columns)
            self.check_pdfs(out, columns)
            text = told("pdftotext", out / "accuracy-time.pdf", "-")
            for word in ("Accuracy against time", "probabilistic", "uniform", "test accuracy", "100 %"):
                self.assertIn(word, text)

    def test_fonts_and_titles(self):
        title = "Accuracy against rounds"
        default = self.typeset_figures("one") / "accuracy-rounds.pdf"
        self.assertIn("CMR8", fonts_of(default))
        self.assertIn(title, told("pdftotext", default, "-"))
        for name, options in (("with", ()), ("without", ("--no-titles",))):
            self.done("report", self.runs, "--figures", self.folder / name, "--formats", "pgfplots", "--fonts", "latex", *options)
            lines = (self.folder / name / "accuracy-rounds.tex").read_text().splitlines()
            is_titled = any(title in line for line in lines if not line.startswith("%"))
            self.assertEqual(is_titled, name == "with")
        self.done("report", self.runs, "--figures", self.folder / "sans", "--formats", "pdf,pgfplots", "--fonts", "sans",
                  "--no-titles")
        sans = self.folder / "sans/accuracy-rounds.pdf"
        self.assertIn("CMSS8", fonts_of(sans))
        self.assertNotIn("CMR8", fonts_of(sans))
        self.assertNotIn(title, told("pdftotext", sans, "-"))

    def test_the_same_bytes_again(self):
        first, again = self.typeset_figures("one"), self.folder / "again"
        self.done("report", self.runs, "--figures", again, "--formats", "pdf")
        self.assertEqual({path.name for path in again.iterdir()}, {path.name for path in first.glob("*.pdf")})
        for path in again.iterdir():
            self.assertEqual(path.read_bytes(), (first / path.name).read_bytes(), path.name)

    def test_names_that_are_hard_on_latex(self):
        runs, out = self.nasty(), self.folder / "out"
        self.done("report", runs, "--figures", out, "--formats", "csv,pgfplots,latex,pdf")
        self.check_pdfs(out, "one")
        text = " ".join(told("pdftotext", out / "accuracy-time.pdf", "-").split())
        for part in ("a b%{}$\\#&", "U+4E2D", "[x] <|>"):  # The underscore is a line, not a letter.
            self.assertIn(part, text)
        for path in out.glob("*.tex"):
            self.assertTrue(path.read_text().replace("\n", " ").isprintable())
            body = [line for line in path.read_text().splitlines() if not line.startswith("%")]
            self.assertTrue("".join(body).isascii(), path.name)
        log = typeset(self.folder, "\\par\\medskip ".join(f"\\input{{out/{path.stem}}}" for path in sorted(out.glob("*.tex"))))
        self.assertEqual(faults_of(log, 0.5), [])

    def test_tables_fit_and_are_read_alone(self):
        for columns in WIDTHS_BP:
            out = self.folder / columns
            self.done("report", self.runs, "--figures", out, "--formats", "latex", "--columns", columns)
            tables = sorted(path.stem for path in out.glob("*.tex"))
            log = typeset(self.folder, "\\par\\medskip ".join(f"\\input{{{columns}/{name}}}" for name in tables))
            self.assertEqual(faults_of(log, 0.5), [])
        text = " ".join(told("pdftotext", self.folder / "document.pdf", "-").split())
        for part in ("Time to reach an accuracy first", "over the runs", "3 strategies × 3 seeds", "uploads"):
            self.assertIn(part, text)
        self.assertNotIn("\\textbf", (self.folder / "one/table-whole-runs.tex").read_text())

    def test_tex_is_missing(self):
        programs = self.folder / "bin"
        programs.mkdir()
        packages = "texlive-latex-recommended texlive-pictures"
        command = ("report", self.runs, "--figures", self.folder / "out", "--formats", "svg,pdf")
        result = airlot(*command, env={"PATH": str(programs)})
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, "error: pdflatex is missing, which PDF figures need: install the Debian packages "
                         f"{packages}, or leave pdf out of the formats\n")
        # A TeX without pgfplots says so in its log.
        (programs / "pdflatex").write_text(
            "#!/bin/sh\nfor one; do case $one in -output-directory=*) to=${one#*=};; -jobname=*) job=${one#*=};; esac; done\n"
            "echo \"! LaTeX Error: File \\`pgfplots.sty' not found.\" >\"$to/$job.log\"\nexit 1\n")
        (programs / "pdflatex").chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        self.assertIn(f"error: pgfplots is missing, which PDF figures need: install the Debian packages {packages}",
                      airlot(*command, env={"PATH": path}).stderr)
        (programs / "pdflatex").write_text("#!/bin/sh\nexit 3\n")
        self.assertRegex(airlot(*command, env={"PATH": path}).stderr,
                         r"^error: [a-z-]+: pdflatex failed \(3\): its log names no error\n$")
        self.assertFalse((self.folder / "out").exists())

    def test_an_interrupt_leaves_nothing(self):
        programs, scratch = self.folder / "bin", self.folder / "scratch"
        programs.mkdir()
        scratch.mkdir()
        (programs / "pdflatex").write_text(f"#!/bin/sh\necho $$ >>{self.folder}/pids\nexec sleep 600\n")
        (programs / "pdflatex").chmod(0o755)
        environment = {**ENVIRONMENT, "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(scratch)}
        process = subprocess.Popen([AIRLOT, "report", str(self.runs), "--figures", str(self.folder / "out"), "--formats",
                                    "svg,pdf"], env=environment)
        # The program starts one for each processor that it may use, and there are more pictures than two.
        wanted = min(len(os.sched_getaffinity(0)), 2)
        pids = self.folder / "pids"
        deadline = time.monotonic() + 300
        while not pids.exists() or len(pids.read_text().split()) < wanted:
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.assertEqual(len(list(scratch.iterdir())), 1)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), -signal.SIGTERM)
        self.assertEqual(list(scratch.iterdir()), [])
        self.assertFalse((self.folder / "out").exists())
        for pid in map(int, pids.read_text().split()):
            with self.assertRaises(ProcessLookupError):
                os.kill(pid, 0)

    def test_every_strategy_fits(self):
        """A legend of all strategies, and tables with a row for each."""
        out = self.folder / "out"
        self.done("compare", "float32-cell", *SMALL, "--strategies", "every", "--seeds", "1", "-o", self.folder / "runs")
        self.done("report", self.folder / "runs", "--figures", out, "--formats", "csv,latex,pdf")
        for path in out.glob("*.pdf"):
            width = re.search(r"Page size: +([\d.]+) x", told("pdfinfo", path))[1]
            self.assertAlmostEqual(float(width), WIDTHS_BP["one"], delta=0.02, msg=path.name)


class ExamplePaper(unittest.TestCase):
    def test_it_is_built(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "with space"
            result = subprocess.run([ROOT / "docs/example-paper/build", folder], capture_output=True, text=True,
                                    env={**ENVIRONMENT, "AIRLOT": str(Path(AIRLOT).resolve())}, timeout=600)
            self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
            pdf = folder / "paper.pdf"
            self.assertEqual(faults_of((folder / "paper.log").read_text(errors="replace"), 3), [])
            for font, (is_embedded, kind) in fonts_of(pdf).items():
                self.assertTrue(is_embedded and kind == "Type 1", (font, kind))
            pages = int(re.search(r"Pages: +(\d+)", told("pdfinfo", pdf))[1])
            self.assertEqual(pages, 2)
            text = told("pdftotext", pdf, "-")
            for word in ("probabilistic", "equally-weighted", "test accuracy", "Table 2: Time to the targets",
                         "Figure 4: Which labels the devices hold.", "3 strategies × 3 seeds"):
                self.assertIn(word, " ".join(text.split()))
            self.assertNotIn("??", text)
            self.check_pages(folder, pdf, pages)

    def check_pages(self, folder, pdf, pages):
        """Margins are white, and every page has ink in both columns."""
        told("pdftoppm", "-gray", "-r", "36", pdf, folder / "page")
        for path in sorted(folder.glob("page-*.pgm")):
            kind, width, height, _, pixels = path.read_bytes().split(maxsplit=4)
            width, height = int(width), int(height)
            rows = [pixels[i * width:(i + 1) * width] for i in range(height)]
            margin = 36 // 4 * 2  # half an inch, where the margins have 0.67 in
            for row in rows:
                self.assertEqual(min(row[:margin] + row[-margin:]), 255, path.name)
            for columns in (slice(margin, width // 2), slice(width // 2, width - margin)):
                self.assertLess(min(min(row[columns]) for row in rows), 128, path.name)
        self.assertEqual(len(list(folder.glob("page-*.pgm"))), pages)


if __name__ == "__main__":
    unittest.main()
