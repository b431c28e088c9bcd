"""A federation of Flower on this machine: a SuperLink and SuperNodes, on loopback only."""
import contextlib
import csv
import datetime
import hashlib
import io
import ipaddress
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

AIRLOT = os.environ.get("AIRLOT", "airlot")
APP = pathlib.Path(__file__).resolve().parents[2] / "examples" / "flower"
BIN = pathlib.Path(sys.executable).parent
LONGEST_S = 1200
"""How long to wait for what must happen: machines may be slow."""


def free_port():
    """Returns a port that nobody uses just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def descendants(pid):
    """Returns the processes that a process has started, and those that they have, with their command lines."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                pass
    found, new = {}, {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new}
        for child in new:
            try:
                found[child] = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                pass
    return found


class Federation:
    """Starts and kills the processes of a federation; all that they write is in a folder."""

    def __init__(self, folder, *, tls=False, auth=False, database=False):
        self.folder = pathlib.Path(folder)
        self.app = APP
        self.tls, self.auth, self.database = tls, auth, database
        self.port = free_port()
        self.link = None
        self.nodes = {}
        self.devices = {}
        self.environment = {**os.environ, "FLWR_HOME": str(self.folder / "home"), "FLWR_DISABLE_UPDATE_CHECK": "1",
                            "FLWR_TELEMETRY_ENABLED": "0", "PATH": f"{BIN}:{os.environ['PATH']}",
                            "NO_COLOR": "1", "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.3"}
        (self.folder / "home").mkdir(parents=True, exist_ok=True)
        how = f'root-certificates = "{self.folder}/ca.pem"' if tls else "insecure = true"
        (self.folder / "home" / "config.toml").write_text(
            f'[superlink]\ndefault = "loopback"\n\n[superlink.loopback]\naddress = "127.0.0.1:{self.port}"\n{how}\n')
        if tls:
            self._make_certificates()

    # --- Keys --------------------------------------------------------------------------------------

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def _make_certificates(self):
        """Makes an authority, ca.pem, and the certificate of the SuperLink."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization as forms
        from cryptography.hazmat.primitives.asymmetric import ec

        self._authority = ec.generate_private_key(ec.SECP256R1())
        self._server_key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "airlot test CA")])
        root = self._certificate(name, name, self._authority.public_key(), days=2).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True)
        (self.folder / "ca.pem").write_bytes(root.sign(self._authority, hashes.SHA256()).public_bytes(forms.Encoding.PEM))
        (self.folder / "server.key").write_bytes(self._server_key.private_bytes(
            forms.Encoding.PEM, forms.PrivateFormat.TraditionalOpenSSL, forms.NoEncryption()))
        self.make_server_certificate()

    @staticmethod
    def _certificate(issuer, subject, public, days):
        from cryptography import x509

        now = datetime.datetime.now(datetime.timezone.utc)
        return x509.CertificateBuilder(issuer_name=issuer, subject_name=subject, public_key=public,
                                       serial_number=x509.random_serial_number(),
                                       not_valid_before=now - datetime.timedelta(days=3),
                                       not_valid_after=now + datetime.timedelta(days=days))

    def make_server_certificate(self, days=2):
        """Makes a certificate for the SuperLink that is good for so many days; it has expired where they are below 0."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization as forms

        def named(text):
            return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        made = self._certificate(named("airlot test CA"), named("localhost"), self._server_key.public_key(), days)
        made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
        (self.folder / "server.pem").write_bytes(made.sign(self._authority, hashes.SHA256()).public_bytes(forms.Encoding.PEM))

    def make_key(self, name):
        """Makes a key for a node, as `ssh-keygen -t ecdsa -b 384` does."""
        from cryptography.hazmat.primitives import serialization as forms
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP384R1())
        (self.folder / f"{name}.key").write_bytes(
            key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.OpenSSH, forms.NoEncryption()))
        public = key.public_key()
        (self.folder / f"{name}.pub").write_bytes(
            public.public_bytes(forms.Encoding.OpenSSH, forms.PublicFormat.OpenSSH))
        (self.folder / f"{name}.pem").write_bytes(
            public.public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo))

    def register(self, name):
        """Lets a node with this key into the federation."""
        return self.flwr("supernode", "register", str(self.folder / f"{name}.pub"), "loopback")

    # --- Processes ---------------------------------------------------------------------------------

    def _start(self, name, *command):
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen([str(BIN / command[0]), *command[1:]], stdout=log, stderr=log, cwd=self.folder,
                                    env=self.environment, stdin=subprocess.DEVNULL)

    def start_link(self):
        """Starts the SuperLink, and waits until it can be reached."""
        options = [] if self.tls else ["--insecure"]
        if self.tls:
            options = ["--ssl-ca-certfile", "ca.pem", "--ssl-certfile", "server.pem", "--ssl-keyfile", "server.key"]
        if self.auth:
            options.append("--enable-supernode-auth")
        if self.database:
            options += ["--database", "state.db"]
        self.link = self._start("link", "flower-superlink", "--host", "127.0.0.1", "--port", str(self.port),
                                "--disable-runtime-dependency-installation", *options)
        ends = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.link.poll() is not None or time.monotonic() > ends:
                    raise RuntimeError(f"the SuperLink did not start: {self.log('link')[-2000:]}")
                time.sleep(0.3)

    def start_node(self, index, of, key=None):
        """Starts a SuperNode with its share of the data."""
        options = ["--root-certificates", "ca.pem"] if self.tls else ["--insecure"]
        if key is not None:
            options += ["--auth-supernode-private-key", f"{key}.key"]
        self.nodes[index] = self._start(f"node{index}", "flower-supernode", "--superlink", f"127.0.0.1:{self.port}",
                                        "--port", str(free_port()), "--node-config",
                                        f"partition-id={index} num-partitions={of}", *options)

    def flwr(self, *arguments):
        """Returns what `flwr` prints. It is asked again where a busy SuperLink does not answer it in time."""
        ends = time.monotonic() + LONGEST_S
        while "SuperLink is unavailable" in (printed := self._flwr(*arguments)) and time.monotonic() < ends:
            time.sleep(1)
        return printed

    def _flwr(self, *arguments):
        """Calls `flwr` in this process: to start it anew takes a second."""
        from flwr.cli.app import app

        printed = io.StringIO()
        before = {name: os.environ.get(name) for name in self.environment}
        os.environ.update(self.environment)
        try:
            with mock.patch.object(sys, "__stdout__", printed), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                app([str(argument) for argument in arguments], standalone_mode=False)
        except BaseException as error:  # It ends by SystemExit, and errors of click are printed here.
            if not (isinstance(error, SystemExit) and error.code in (None, 0)):
                printed.write(f"{type(error).__name__}: {error}")
            if isinstance(error, KeyboardInterrupt):
                raise
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
        return printed.getvalue()

    def submit(self, **config):
        """Hands the app to the SuperLink, and returns the number of the run."""
        given = " ".join(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"
                         for name, value in config.items())
        printed = self.flwr("run", self.app, "loopback", "--run-config", given, "--format", "json")
        try:
            return int(json.loads(printed[printed.index("{"):printed.rindex("}") + 1])["run-id"])
        except (ValueError, KeyError, TypeError):
            raise RuntimeError(f"the run did not start: {printed}") from None

    def status_of(self, run):
        """Returns the status of a run in Flower's words; empty while the SuperLink does not say."""
        printed = self.flwr("list", "loopback", "--run-id", run, "--format", "json")
        try:
            runs = json.loads(printed[printed.index("{"):printed.rindex("}") + 1])["runs"]
            return next(str(one["status"]) for one in runs if int(one["run-id"]) == run)
        except (ValueError, KeyError, TypeError, StopIteration):
            return ""

    def wait_for(self, run):
        """Waits until a run has ended, whatever came of it, and returns what it printed. The stream of its log may
        break off while the run goes on."""
        ends = time.monotonic() + LONGEST_S
        while not (status := self.status_of(run)).startswith("finished"):
            if time.monotonic() > ends:
                raise RuntimeError(f"run {run} is {status!r} after {LONGEST_S} s: {self.flwr('log', run, 'loopback', '--show')}")
            time.sleep(1)
        return f"{status}\n{self.flwr('log', run, 'loopback', '--show')}"

    def finish(self, run, **config):
        """Waits for a run of these settings, and returns what it printed. Where Flower has ended it early, as it does when
        the machine is so busy that it misses the heartbeats of the server application, another one goes on with it."""
        printed = self.wait_for(run)
        for _ in range(4):
            if printed.startswith("finished:completed"):
                break
            printed += self.wait_for(self.submit(**config))
        return printed

    def run(self, **config):
        """Runs the app to its end, and returns what it printed."""
        return self.finish(self.submit(**config), **config)

    def server_applications(self):
        """Returns the processes of the server application."""
        return [pid for pid, line in descendants(self.link.pid).items() if "flwr-serverapp" in line]

    def kill(self, process):
        """Kills a process and all that it has started, at once."""
        pids = [process.pid, *descendants(process.pid)]
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()

    def log(self, name):
        """Returns what a process has written."""
        path = self.folder / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    # --- Nodes of airlot device --------------------------------------------------------------------

    def make_device_key(self, name):
        """Makes a key for `airlot device`, as docs/device.md says."""
        self._openssl("ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", f"{name}.pem")
        (self.folder / f"{name}.pem").chmod(0o600)
        (self.folder / f"{name}.pub").write_bytes(subprocess.run(
            ["ssh-keygen", "-y", "-f", f"{name}.pem"], cwd=self.folder, check=True, capture_output=True).stdout)

    def name_of(self, key):
        """Returns the name by which the device with a key goes."""
        from cryptography.hazmat.primitives import serialization as forms

        public = forms.load_ssh_public_key((self.folder / f"{key}.pub").read_bytes())
        return hashlib.sha256(
            public.public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)).hexdigest()

    def start_device(self, index, *options, key=None, before=()):
        """Starts `airlot device`.

        Args:
            index: names it, with its log and its key.
            key: the name of another key.
            before: words before the command, which change how it runs.
        """
        how = ["--root-certificates", "ca.pem"] if self.tls else ["--insecure"]
        with open(self.folder / f"device{index}.log", "ab") as log:
            self.devices[index] = subprocess.Popen(
                [*before, AIRLOT, "device", "--superlink", f"127.0.0.1:{self.port}", *how, "--key",
                 f"{key or f'device{index}'}.pem", *options],
                cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def stop(self):
        """Ends everything."""
        for process in [*self.nodes.values(), *self.devices.values(), self.link]:
            if process is not None and process.poll() is None:
                self.kill(process)


def folder_in_memory():
    """Returns a temporary folder, where possible in memory: the SuperLink's database refuses requests while it waits for a disk."""
    memory = pathlib.Path("/dev/shm")
    has_room = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 1 << 30
    return tempfile.TemporaryDirectory(dir=memory if has_room else None, ignore_cleanup_errors=True)


def replies_in(run):
    """Returns the rows of the replies of a run."""
    path = run / "live" / "replies.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class FederationTest(unittest.TestCase):
    """Each test has a SuperLink of its own, with TLS and registered keys."""

    database = False
    """Whether the SuperLink keeps its state in one: it needs that to be killed and to go on, and is slower with it."""

    def setUp(self):
        kept = folder_in_memory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.federation = Federation(self.folder, tls=True, auth=True, database=self.database)
        self.addCleanup(self.federation.stop)
        self.federation.start_link()

    def register(self, name):
        """Lets a key into the federation."""
        self.assertIn("registered successfully", self.federation.register(name))

    def enter_devices(self, count, *options):
        """Makes keys for so many nodes of `airlot device`, registers them, and starts the nodes."""
        for index in range(count):
            self.federation.make_device_key(f"device{index}")
            self.register(f"device{index}")
            self.federation.start_device(index, "--index", str(index), *options)

    def enter_nodes(self, count):
        """The same for nodes of Flower's own."""
        for index in range(count):
            self.federation.make_key(f"node{index}")
            self.register(f"node{index}")
            self.federation.start_node(index, count, f"node{index}")

    def wait_until(self, happened, what):
        """Waits until a function says that something has happened."""
        ends = time.monotonic() + LONGEST_S
        while not happened():
            self.assertLess(time.monotonic(), ends, f"{what} did not happen: {self.federation.log('link')[-2000:]}")
            time.sleep(0.2)

    def round_of(self, run):
        """Returns the last round of a run that has replies."""
        return max([int(row["round"]) for row in replies_in(run)], default=0)
