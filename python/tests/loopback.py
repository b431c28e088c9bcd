"""A federation of Flower on this machine: a SuperLink and SuperNodes, on loopback only."""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

APP = pathlib.Path(__file__).resolve().parents[2] / "examples" / "flower"
BIN = pathlib.Path(sys.executable).parent


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
        self.environment = {**os.environ, "FLWR_HOME": str(self.folder / "home"), "FLWR_DISABLE_UPDATE_CHECK": "1",
                            "FLWR_TELEMETRY_ENABLED": "0", "PATH": f"{BIN}:{os.environ['PATH']}",
                            "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        (self.folder / "home").mkdir(parents=True, exist_ok=True)
        how = f'root-certificates = "{self.folder}/ca.pem"' if tls else "insecure = true"
        (self.folder / "home" / "config.toml").write_text(
            f'[superlink]\ndefault = "loopback"\n\n[superlink.loopback]\naddress = "127.0.0.1:{self.port}"\n{how}\n')
        if tls:
            self._make_certificates()

    # --- Keys --------------------------------------------------------------------------------------

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def _make_certificates(self, days="2"):
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", days,
                      "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=airlot test CA")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "server.key",
                      "-out", "server.csr", "-subj", "/CN=localhost")
        (self.folder / "server.ext").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        self._openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                      "-days", days, "-extfile", "server.ext", "-out", "server.pem")

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
        return self._flwr("supernode", "register", str(self.folder / f"{name}.pub"), "loopback")

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

    def _flwr(self, *arguments, **options):
        return subprocess.run([str(BIN / "flwr"), *arguments], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=600, **options)

    def run(self, **config):
        """Runs the example app to its end, and returns what it printed."""
        given = " ".join(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"
                         for name, value in config.items())
        done = self._flwr("run", str(self.app), "loopback", "--stream", "--run-config", given)
        return done.stdout + done.stderr

    def start_run(self, **config):
        """Runs the example app beside this program."""
        given = " ".join(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"
                         for name, value in config.items())
        return self._start("run", "flwr", "run", str(self.app), "loopback", "--stream", "--run-config", given)

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

    def stop(self):
        """Ends everything."""
        for process in [*self.nodes.values(), self.link]:
            if process is not None and process.poll() is None:
                self.kill(process)


class FederationTest(unittest.TestCase):
    """Each test has a SuperLink of its own, with TLS, registered keys and a database."""

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.federation = Federation(self.folder, tls=True, auth=True, database=True)
        self.addCleanup(self.federation.stop)
        self.federation.start_link()

    def register(self, name):
        """Lets a key into the federation."""
        done = self.federation.register(name)
        self.assertIn("registered successfully", done.stdout, done.stderr)
