// A headless chromium over a pipe, without any package: enough to open a page, press keys, read it and take pictures.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Debian's chromium; null: there is none. */
export function browserPath() {
  const names = [process.env.GLEANER_BROWSER, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
  return names.find((name) => name && existsSync(name)) ?? null;
}

export async function launch() {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-browser-'));
  const child = spawn(
    browserPath(),
    ['--no-sandbox', '--headless', '--hide-scrollbars', '--disable-gpu', '--remote-debugging-pipe', `--user-data-dir=${folder}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const [, , , to, from] = child.stdio;
  const waiting = new Map();
  const listeners = [];
  let last = 0;
  let rest = '';
  from.on('data', (data) => {
    const parts = (rest + data.toString('utf8')).split('\0');
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (message.id === undefined) for (const listener of listeners) listener(message);
      else {
        const { done, fail } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) fail(new Error(message.error.message));
        else done(message.result);
      }
    }
  });
  const call = (method, params = {}, sessionId = undefined) =>
    new Promise((done, fail) => {
      waiting.set(++last, { done, fail });
      to.write(JSON.stringify({ id: last, method, params, sessionId }) + '\0');
    });

  async function open(url, { width = 1280, height = 900, media = [], before = '', vision = 'none', slowdown = 1 } = {}) {
    const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
    const ask = (method, params) => call(method, params, sessionId);
    const complaints = [];
    listeners.push((message) => {
      if (message.sessionId !== sessionId) return;
      const { method, params } = message;
      if (method === 'Log.entryAdded') complaints.push(`${params.entry.level}: ${params.entry.text} ${params.entry.url ?? ''}`);
      if (method === 'Runtime.consoleAPICalled') complaints.push(params.args.map(({ value }) => value).join(' '));
      if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    });
    await ask('Page.enable');
    await ask('Log.enable');
    await ask('Runtime.enable');
    await ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await ask('Emulation.setEmulatedMedia', { features: media });
    if (vision !== 'none') await ask('Emulation.setEmulatedVisionDeficiency', { type: vision });
    if (before) await ask('Page.addScriptToEvaluateOnNewDocument', { source: before });
    if (slowdown !== 1) await ask('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await ask('Page.navigate', { url });

    const evaluate = async (expression) => {
      const { result, exceptionDetails } = await ask('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    return {
      complaints,
      ask,
      evaluate,
      /** Waits until the expression is true. */
      async becomes(expression, what = expression) {
        let why = '';
        const isTrue = () =>
          evaluate(`Boolean(document.body && (${expression}))`).catch((error) => {
            why = error.message; // as while the page is loaded again
            return false;
          });
        for (const end = Date.now() + 30000; Date.now() < end; await new Promise((go) => setTimeout(go, 30))) if (await isTrue()) return;
        throw new Error(`never: ${what} ${why}; the page: ${await evaluate('document.body.innerText')}`);
      },
      async press(key) {
        const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
        await ask('Input.dispatchKeyEvent', { type: 'keyDown', key, text, windowsVirtualKeyCode: key === 'Enter' ? 13 : key === 'Tab' ? 9 : key === 'Escape' ? 27 : 0 });
        await ask('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: key === 'Tab' ? 9 : 0 });
      },
      async picture(file) {
        const { cssContentSize } = await ask('Page.getLayoutMetrics');
        const clip = { x: 0, y: 0, width, height: Math.min(4000, Math.ceil(cssContentSize.height)), scale: 1 };
        const { data } = await ask('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true });
        writeFileSync(file, Buffer.from(data, 'base64'));
      },
      close: () => call('Target.closeTarget', { targetId }),
    };
  }

  return {
    open,
    async close() {
      const over = new Promise((done) => child.once('exit', done));
      await call('Browser.close').catch(() => child.kill());
      await over;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
