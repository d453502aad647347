// A port of 127.0.0.1 to the unix socket of a gridapi, as `ssh -L` makes one: browsers and Prometheus speak TCP alone.
import { createServer, request } from 'node:http';

/** @param seen  called with each request and the head of its answer */
export async function tunnelTo(socketPath, seen = () => {}) {
  const server = createServer((asked, answer) => {
    const up = request({ socketPath, path: asked.url, method: asked.method, headers: asked.headers }, (from) => {
      seen(asked, from);
      answer.writeHead(from.statusCode, from.headers);
      from.pipe(answer);
    });
    up.on('error', () => answer.destroy());
    answer.on('close', () => up.destroy());
    asked.pipe(up);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: server.address().port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
