"""Tests `airlot device` where no SuperLink is needed: options, keys, certificates, and servers that are none.

python/tests/flower tries it with Flower's own SuperLink."""
import http.server
import signal
import socket
import socketserver
import ssl
import subprocess
import threading
import time
import unittest

from program import AIRLOT, ENVIRONMENT, ProgramTest, airlot, write_small_data


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Answers(http.server.BaseHTTPRequestHandler):
    """A server that answers everything in one way."""
    status, body = 404, b""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.status)
        self.send_header("content-length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


class SpeaksGrpc(socketserver.StreamRequestHandler):
    """A server of HTTP/2, as gRPC is: it answers the client's preface by its settings, and nothing else."""

    def handle(self):
        try:
            if isinstance(self.request, ssl.SSLSocket):
                self.request.do_handshake()
                if self.request.selected_alpn_protocol() != "h2":
                    return
            if self.rfile.read(24) == b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
                self.wfile.write(b"\0\0\0\4\0\0\0\0\0")
        except OSError:  # The other side goes when it has seen enough.
            pass


class DeviceTest(ProgramTest):
    def setUp(self):
        super().setUp()
        write_small_data(self.folder / "data")

    def serve(self, status=404, body=b"", certificate=None):
        handler = type("Handler", (Answers,), {"status": status, "body": body})
        return self.start(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler), certificate)

    def start(self, server, certificate=None, protocols=("http/1.1",), **how):
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.folder / f"{certificate}.pem", self.folder / f"{certificate}.key")
            context.set_alpn_protocols(protocols)
            server.socket = context.wrap_socket(server.socket, server_side=True, **how)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def make_certificate(self, name, alternative="IP:127.0.0.1", days=2):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", str(days),
                     "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", "/CN=test", "-addext", f"subjectAltName={alternative}")

    def device(self, port, *arguments):
        return airlot("device", "--superlink", f"127.0.0.1:{port}", "--data", self.folder / "data", "--model", "logistic", *arguments)


class Options(DeviceTest):
    def test_addresses(self):
        for address in ("localhost", "localhost:0", "http://localhost:8000", "::1:8000"):
            self.fails(f'--superlink "{address}": must be HOST:PORT, for example cell.example:8000 or [::1]:8000',
                       "device", "--superlink", address)

    def test_what_excludes_each_other(self):
        for options in (("--insecure", "--root-certificates", "ca.pem"), ("--emulate", "float32-cell", "--data", "digits"),
                        ("--emulate", "float32-cell", "--max-power-w", "1"), ("--index", "3"), ("--pace", "2")):
            result = airlot("device", "--superlink", "localhost:8000", *options)
            self.assertEqual(result.returncode, 2, options)
            self.assertRegex(result.stderr, "excludes|requires", options)

    def test_work_that_cannot_be_done(self):
        self.fails("--index 10: the scenario has 10 devices, from 0 on", "device", "--superlink", "localhost:1", "--emulate",
                   "float32-cell", "--index", "10", "--set", f"data.dataset={self.folder}/data", "--set", "fleet.devices=10",
                   "--set", "data.minimum_samples=1")
        result = airlot("device", "--superlink", "localhost:1", "--data", self.folder / "none")
        self.assertEqual(result.returncode, 2)
        self.assertIn("none", result.stderr)

    def test_keys(self):
        self.write("empty.pem", "")
        for name, words in (("none.pem", "none.pem: cannot open: No such file"), ("empty.pem", "empty.pem: is no private key")):
            result = self.device(1, "--insecure", "--key", self.folder / name)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)
        self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "p256.pem")
        self.assertIn("is a key of another kind", self.device(1, "--insecure", "--key", self.folder / "p256.pem").stderr)


class Servers(DeviceTest):
    def fails_with(self, words, port, *arguments):
        result = self.device(port, *arguments)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(words, result.stderr)

    def test_that_are_no_superlink(self):
        words = "this is no SuperLink of Flower 1.40 or later"
        self.fails_with(words, self.serve(404), "--insecure")
        self.fails_with(words, self.serve(200, b"\xff\xff"), "--insecure")

    def test_that_speak_grpc(self):
        """Flower before 1.40 spoke it, in plain text and over TLS."""
        self.make_certificate("good")
        for certificate, how in ((None, ("--insecure",)), ("good", ("--root-certificates", self.folder / "good.pem"))):
            server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), SpeaksGrpc)
            port = self.start(server, certificate, ["h2"], do_handshake_on_connect=False)
            self.fails_with(f"127.0.0.1:{port}: speaks gRPC, as Flower before 1.40 did", port, *how)

    def test_that_do_not_know_the_key(self):
        self.openssl("ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", "node.pem")
        port = self.serve(412, b'{"code": 1, "detail": "Failed to activate SuperNode."}')
        self.fails_with('activate-node is refused (412: "Failed to activate SuperNode."): the SuperLink must know the node\'s key '
                        "(flwr supernode register)", port, "--insecure", "--key", self.folder / "node.pem", "--patience-s", "0")
        begun = time.monotonic()
        self.fails_with("trying again in", port, "--insecure", "--key", self.folder / "node.pem", "--patience-s", "1")
        self.assertGreater(time.monotonic() - begun, 0.5)

    def test_certificates(self):
        self.make_certificate("good")
        self.make_certificate("other")
        self.make_certificate("elsewhere", "DNS:cell.example")
        port = self.serve(404, certificate="good")
        self.fails_with("register-node is refused (404", port, "--root-certificates", self.folder / "good.pem")
        for roots in ("other.pem", "none.pem"):
            self.fails_with(f"127.0.0.1:{port}: ", port, "--root-certificates", self.folder / roots)
        self.fails_with("certificate", port)  # The system does not trust it either.
        port = self.serve(404, certificate="elsewhere")
        self.fails_with("names another host", port, "--root-certificates", self.folder / "elsewhere.pem")

    def test_tls_to_plain_text(self):
        self.make_certificate("good")
        self.fails_with("no TLS connection", self.serve(404), "--root-certificates", self.folder / "good.pem")

    def test_waits_for_one_that_is_gone_and_leaves_on_sigterm(self):
        with subprocess.Popen([AIRLOT, "device", "--superlink", f"127.0.0.1:{free_port()}", "--insecure", "--data",
                               self.folder / "data", "--model", "logistic"], stderr=subprocess.PIPE, text=True,
                              env=ENVIRONMENT) as process:
            shown = [process.stderr.readline() for _ in range(2)]
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), 0)
        for line in shown:
            self.assertRegex(line, r"no answer from the SuperLink \(.*\); trying again in \d\.\d s")


if __name__ == "__main__":
    unittest.main()
