// A headless Firefox over WebDriver BiDi, without any package: enough to open a page, read it and hear what its console says.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Debian's Firefox; null: there is none. */
export function firefoxPath() {
  const names = [process.env.GLEANER_FIREFOX, '/usr/bin/firefox-esr'];
  return names.find((name) => name && existsSync(name)) ?? null;
}

/** A client of a websocket, for texts. */
function webSocket(url, take) {
  return new Promise((done, fail) => {
    const asked = request(url.replace(/^ws/, 'http'), {
      headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13, 'Sec-WebSocket-Key': randomBytes(16).toString('base64') },
    });
    asked.on('error', fail);
    asked.on('response', ({ statusCode }) => fail(new Error(`no websocket: ${statusCode}`)));
    asked.on('upgrade', (_, socket, head) => {
      let rest = head;
      let text = [];
      const frames = () => {
        for (;;) {
          if (rest.length < 2) return;
          const short = rest[1] & 0x7f;
          const begin = short === 127 ? 10 : short === 126 ? 4 : 2;
          if (rest.length < begin) return;
          const length = short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
          if (rest.length < begin + length) return;
          const [isLast, kind] = [(rest[0] & 0x80) !== 0, rest[0] & 0x0f];
          if (kind < 3) text.push(rest.subarray(begin, begin + length)); // neither a ping nor an end
          rest = rest.subarray(begin + length);
          if (!isLast || kind >= 3) continue;
          take(Buffer.concat(text).toString('utf8'));
          text = [];
        }
      };
      socket.on('data', (data) => {
        rest = Buffer.concat([rest, data]);
        frames();
      });
      socket.on('error', () => {});
      frames();
      done((words) => {
        const data = Buffer.from(words, 'utf8');
        const head = Buffer.alloc(data.length < 126 ? 2 : 4);
        head[0] = 0x81;
        if (data.length < 126) head[1] = 0x80 | data.length;
        else {
          head[1] = 0x80 | 126;
          head.writeUInt16BE(data.length, 2);
        }
        const mask = randomBytes(4).map((byte) => byte || 1); // Firefox takes a mask of zeros for none
        socket.write(Buffer.concat([head, mask, data.map((byte, index) => byte ^ mask[index % 4])]));
      });
    });
    asked.end();
  });
}

export async function launchFirefox() {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-firefox-'));
  const child = spawn(firefoxPath(), ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: '1' },
  });
  const over = new Promise((done) => child.once('exit', done));
  const url = await new Promise((done, fail) => {
    let said = '';
    child.stderr.on('data', (data) => {
      said += data;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
      if (found) done(`${found[1]}/session`);
    });
    over.then(() => fail(new Error(`Firefox ended: ${said}`)));
  });
  const waiting = new Map();
  const complaints = [];
  let last = 0;
  const send = await webSocket(url, (text) => {
    const message = JSON.parse(text);
    if (message.type === 'event') {
      if (message.params.level === 'error' || message.params.level === 'warn') complaints.push(`${message.params.level}: ${message.params.text}`);
      return;
    }
    const { done, fail } = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'error') fail(new Error(`${message.error}: ${message.message}`));
    else done(message.result);
  });
  const call = (method, params = {}) =>
    new Promise((done, fail) => {
      waiting.set(++last, { done, fail });
      send(JSON.stringify({ id: last, method, params }));
    });
  const { capabilities } = await call('session.new', { capabilities: {} });
  await call('session.subscribe', { events: ['log.entryAdded'] });
  return {
    version: `${capabilities.browserName} ${capabilities.browserVersion}`,
    complaints,
    async open(url) {
      const { context } = await call('browsingContext.create', { type: 'tab' });
      await call('browsingContext.navigate', { context, url, wait: 'complete' });
      const evaluate = async (expression) => {
        const { result, exceptionDetails } = await call('script.evaluate', { expression: `JSON.stringify(${expression} ?? null)`, target: { context }, awaitPromise: true });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return JSON.parse(result.value);
      };
      return {
        evaluate,
        /** Waits until the expression is true. */
        async becomes(expression, what = expression) {
          for (const end = Date.now() + 30000; Date.now() < end; await new Promise((go) => setTimeout(go, 50))) if (await evaluate(`Boolean(${expression})`)) return;
          throw new Error(`never: ${what}; the page: ${await evaluate('document.body.innerText')}`);
        },
        picture: async () => Buffer.from((await call('browsingContext.captureScreenshot', { context, origin: 'document' })).data, 'base64'),
        close: () => call('browsingContext.close', { context }),
      };
    },
    async close() {
      child.kill();
      await over;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
