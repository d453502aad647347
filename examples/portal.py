#!/usr/bin/python3
"""A portal in a page: `portal.py [PORT]` (8000) shows your campaigns at http://localhost:PORT/, and submits, cancels and fetches outputs."""
import html
import http.server
import sys
import urllib.parse

import gleaner

FORM = """<h1>Campaigns</h1><form method="post" action="/submit"><input name="command" placeholder="echo" required>
<textarea name="parameters" placeholder="a parameter a line" required></textarea><button>Submit</button></form><table>"""


class Portal(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text="", **headers):
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(text.encode())), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        if self.path.startswith("/outputs/"):  # the stdout of all tasks, one after the other
            number = int(self.path.rsplit("/", 1)[1])
            files = (one for one in grid.outputs(number) if one.kind == "stdout" and not one.missing)
            return self.answer(200, "".join(grid.read_output(number, one).decode(errors="replace") for one in files),
                               **{"Content-Type": "text/plain; charset=utf-8"})
        rows = [f'<tr><td>{one.id}<td>{html.escape(one.name)}<td>{one.state}<td>{one.tasks.done} of {one.total_tasks} done<td>'
                f'<a href="/outputs/{one.id}">outputs</a><td><form method="post" action="/cancel"><button name="id" value="{one.id}">Cancel'
                '</button></form>' for one in grid.campaigns(user=me, all=True)]
        self.answer(200, FORM + "".join(rows) + "</table>")

    def do_POST(self):
        if self.headers.get("Origin", "").split("//")[-1] not in ("", self.headers["Host"]):
            return self.answer(403, "another site's page may not submit")
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        try:
            if self.path == "/cancel":
                grid.cancel(int(form["id"][0]))
            else:
                clusters = {one["name"]: {} for one in grid.clusters() if one["enabled"]}
                grid.submit({"name": "portal", "exec_file": form["command"][0], "output_directory": "portal", "clusters": clusters},
                            form["parameters"][0].splitlines())
        except gleaner.ApiError as error:  # the campaign file is wrong, or the campaign is over: the API's words say what, and where
            return self.answer(400, f"<pre>{html.escape(str(error))}</pre>")
        self.answer(303, Location="/")


grid = gleaner.Grid()
me = grid.whoami()["user"]
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Portal)
print(f"http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
