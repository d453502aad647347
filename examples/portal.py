#!/usr/bin/python3
"""A portal in a page: `portal.py [PORT]` (8000) prints its address, shows your campaigns there, and submits, cancels and fetches outputs.

Whoever has the address acts as you. Its key keeps out other users of this host, and pages of other sites."""
import html
import http.server
import secrets
import sys
import urllib.parse

import gleaner

FORM = """<h1>Campaigns</h1><form method="post" action="submit"><input name="command" placeholder="echo" required>
<textarea name="parameters" placeholder="a parameter a line" required></textarea><button>Submit</button></form><table>"""


class Portal(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text="", **headers):
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(text.encode())), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def place(self):
        """The path behind the key; None: it has another one."""
        key, slash, place = self.path[1:].partition("/")
        return place if slash and secrets.compare_digest(key.encode(), KEY.encode()) else None

    def do_GET(self):
        place = self.place()
        if place is None:
            return self.answer(404, "the address is another one: portal.py has printed it")
        if place.startswith("outputs/"):  # the stdout of all tasks, one after the other
            number = int(place.rsplit("/", 1)[1])
            files = (one for one in grid.outputs(number) if one.kind == "stdout" and not one.missing)
            return self.answer(200, "".join(grid.read_output(number, one).decode(errors="replace") for one in files),
                               **{"Content-Type": "text/plain; charset=utf-8"})
        rows = [f'<tr><td>{one.id}<td>{html.escape(one.name)}<td>{one.state}<td>{one.tasks.done} of {one.total_tasks} done<td>'
                f'<a href="outputs/{one.id}">outputs</a><td><form method="post" action="cancel"><button name="id" value="{one.id}">Cancel'
                '</button></form>' for one in grid.campaigns(user=me, all=True)]
        self.answer(200, FORM + "".join(rows) + "</table>")

    def do_POST(self):
        place = self.place()
        if place is None:
            return self.answer(404, "the address is another one: portal.py has printed it")
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        try:
            if place == "cancel":
                grid.cancel(int(form["id"][0]))
            else:
                clusters = {one["name"]: {} for one in grid.clusters() if one["enabled"]}
                grid.submit({"name": "portal", "exec_file": form["command"][0], "output_directory": "portal", "clusters": clusters},
                            form["parameters"][0].splitlines())
        except gleaner.ApiError as error:  # the campaign file is wrong, or the campaign is over: the API's words say what, and where
            return self.answer(400, f"<pre>{html.escape(str(error))}</pre>")
        self.answer(303, Location=f"/{KEY}/")


KEY = secrets.token_urlsafe()
grid = gleaner.Grid()
me = grid.whoami()["user"]
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Portal)
print(f"http://localhost:{server.server_port}/{KEY}/", flush=True)
server.serve_forever()
