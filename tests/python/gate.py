"""A gate before the API: passes requests on, and loses answers when a test wants it to."""
import os
import socket
import threading


class Gate:
    """Listens on a unix socket; `lose(n, prefix)`: the next n answers to requests that begin so are not passed on, after the API has executed
    them. `shut` cuts connections and refuses further ones."""

    def __init__(self, path, api):
        self.path = path
        self._api = api
        self._lock = threading.Lock()
        self._lose = 0
        self._prefix = b""
        self.lost = 0
        self.requests = []
        self._socket = None
        self._open = []
        self.open()

    def open(self):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(self.path)
        self._socket.listen(64)
        threading.Thread(target=self._accept, args=(self._socket,), daemon=True).start()

    def shut(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        os.unlink(self.path)
        with self._lock:
            was_open, self._open = self._open, []
        for one in was_open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def lose(self, count, prefix=b"POST"):
        with self._lock:
            self._lose, self._prefix = count, prefix

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.connect(self._api)
        with self._lock:
            self._open.append(client)
        state = {"lose": False}

        def forward():
            try:
                while True:
                    data = client.recv(1 << 16)
                    if not data:
                        break
                    head = data.split(b"\r\n", 1)[0]
                    if b" HTTP/1.1" in head:
                        with self._lock:
                            self.requests.append(head.decode())
                            if self._lose > 0 and data.startswith(self._prefix):
                                self._lose -= 1
                                state["lose"] = True
                    server.sendall(data)
            except OSError:
                pass
            try:
                server.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        threading.Thread(target=forward, daemon=True).start()
        try:
            while True:
                data = server.recv(1 << 16)
                if not data:
                    break
                if state["lose"]:
                    self.lost += 1
                    break
                client.sendall(data)
        except OSError:
            pass
        for one in (client, server):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
