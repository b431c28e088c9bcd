"""Builds the Debian packages, installs them into a scratch root, and runs the program from there."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD, CPACK = os.environ["AIRLOT_BUILD"], os.environ["CPACK"]


def run(*command, **options):
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=600, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: {result.stdout}{result.stderr}")
    return result.stdout


@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "dpkg-dev is missing")
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        run(CPACK, "--config", f"{BUILD}/CPackConfig.cmake", "-B", cls.folder / "made", cwd=cls.folder)
        version = run(f"{BUILD}/airlot", "--version").split()[1]
        architecture = run("dpkg", "--print-architecture").strip()
        cls.program = cls.folder / f"made/airlot_{version}_{architecture}.deb"
        cls.development = cls.folder / f"made/libairlot-dev_{version}_{architecture}.deb"
        cls.version = version
        cls.root = cls.folder / "root"
        for package in (cls.program, cls.development):
            cls.install(package)

    @classmethod
    def install(cls, package):
        """As root, dpkg installs it into a root of its own; else it is unpacked."""
        database = cls.root / "var/lib/dpkg"
        for folder in ("info", "updates", "triggers"):
            (database / folder).mkdir(parents=True, exist_ok=True)
        (database / "status").touch()
        if os.geteuid() == 0:
            run("dpkg", f"--root={cls.root}", "--force-depends", "--install", package)
        else:
            run("dpkg", "-x", package, cls.root)

    def fields(self, package):
        return dict(re.findall(r"^([A-Z][\w-]*): (.*)$", run("dpkg", "--field", package), re.M))

    def files(self, package):
        return {line.split()[5].lstrip(".") for line in run("dpkg", "--contents", package).splitlines()}

    def test_fields(self):
        fields = self.fields(self.program)
        self.assertEqual((fields["Package"], fields["Version"]), ("airlot", self.version))
        self.assertEqual(fields["Section"], "science")
        # The package of every library that the program is linked with is named.
        for library in re.findall(r"NEEDED +(\S+)", run("objdump", "-p", self.root / "usr/bin/airlot")):
            owners = {line.split(":")[0] for line in run("dpkg", "-S", f"*/{library}").splitlines()}
            self.assertTrue(owners & set(re.findall(r"[\w.+-]+", fields["Depends"])), library)
        development = self.fields(self.development)
        self.assertEqual(development["Package"], "libairlot-dev")
        self.assertIn("libfmt-dev", development["Depends"])

    def test_files(self):
        files = self.files(self.program)
        for path in ("bin/airlot", "share/doc/airlot/copyright", "share/man/man1/airlot.1", "share/man/man1/airlot-plan.1",
                     "share/man/man1/airlot-bench-planning.1", "share/bash-completion/completions/airlot",
                     "share/zsh/site-functions/_airlot", "share/fish/vendor_completions.d/airlot.fish"):
            self.assertIn(f"/usr/{path}", files)
        self.assertFalse([path for path in files if path.startswith(("/usr/include", "/usr/lib")) and path not in ("/usr/lib/",)])
        development = self.files(self.development)
        for path in ("include/airlot/planning.h", "lib/libairlot.a", "lib/cmake/airlot/airlot-config.cmake",
                     "lib/pkgconfig/airlot.pc", "share/doc/libairlot-dev/copyright"):
            self.assertIn(f"/usr/{path}", development)
        self.assertFalse([path for path in files & development if not path.endswith("/")])
        owners = {line.split()[1] for line in run("dpkg", "--contents", self.program).splitlines()}
        self.assertEqual(owners, {"root/root"})
        self.assertIn("Apache-2.0", (self.root / "usr/share/doc/airlot/copyright").read_text())

    def test_the_program_runs_from_there(self):
        airlot = self.root / "usr/bin/airlot"
        self.assertEqual(run(airlot, "--version"), f"airlot {self.version}\n")
        plan = run(airlot, "plan", "--set", "data.dataset=", "--check", "-o", self.folder / "plan.csv")
        self.assertIn("Plan of 100 devices", plan)
        self.assertEqual(len((self.folder / "plan.csv").read_text().splitlines()), 101)

    def test_pages_and_completion_are_those_of_the_program(self):
        airlot, share = self.root / "usr/bin/airlot", self.root / "usr/share"
        self.assertEqual((share / "man/man1/airlot-plan.1").read_text(), run(airlot, "man", "plan"))
        found = run("man", "-M", share / "man", "airlot-plan", env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C"})
        self.assertIn("airlot plan", re.sub(r".\x08", "", found))
        for shell, path in (("bash", "bash-completion/completions/airlot"), ("zsh", "zsh/site-functions/_airlot"),
                            ("fish", "fish/vendor_completions.d/airlot.fish")):
            self.assertEqual((share / path).read_text(), run(airlot, "completion", shell))

    def test_it_can_be_removed(self):
        if os.geteuid() != 0:
            self.skipTest("dpkg installs for root only")
        with tempfile.TemporaryDirectory() as scratch:
            type(self).root, kept = Path(scratch), self.root
            try:
                self.install(self.program)
                run("dpkg", f"--root={scratch}", "--force-depends", "--remove", "airlot")
                self.assertFalse((Path(scratch) / "usr/bin/airlot").exists())
            finally:
                type(self).root = kept


if __name__ == "__main__":
    unittest.main()
