// What tests in a real browser share: the browser, the stubs whose answers they see, and a tab for each test.
import { after, before, test } from 'node:test';

export interface Tab {
  complaints: string[];
  ask(method: string, params?: object): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  becomes(expression: string, what?: string): Promise<void>;
  press(key: string): Promise<void>;
  close(): Promise<unknown>;
}
interface Browser {
  open(url: string, options?: { width?: number; media?: { name: string; value: string }[]; before?: string; slowdown?: number }): Promise<Tab>;
  close(): Promise<void>;
}
export interface Stub {
  url: string;
  requests: string[];
  turn(scenario: string): void;
  server: { close(): void; closeAllConnections(): void };
}

export let browser: Browser | null = null;
let serve: (port: number, scenario: string) => Promise<Stub>;
const stubs = new Map<string, Stub>();

before(async () => {
  const tool = (await import(`${WEB}/tests/browser.mjs`)) as { browserPath(): string | null; launch(): Promise<Browser> };
  ({ serve } = (await import(`${WEB}/tests/stub.mjs`)) as { serve: typeof serve });
  if (tool.browserPath()) browser = await tool.launch();
});
after(async () => {
  await browser?.close();
  for (const { server } of stubs.values()) {
    server.close();
    server.closeAllConnections();
  }
});

/** A name such as `normal 2` is a stub of its own. */
export async function stubOf(name: string): Promise<Stub> {
  const stub = stubs.get(name) ?? (await serve(0, name.split(' ')[0]!));
  stubs.set(name, stub);
  return stub;
}

export function inBrowser(name: string, scenario: string, query: string, body: (tab: Tab, stub: Stub) => Promise<void>, options = {}): void {
  test(name, async (context) => {
    if (!browser) return context.skip('there is no chromium');
    const stub = await stubOf(scenario);
    const tab = await browser.open(stub.url + query, options);
    try {
      await tab.becomes("document.querySelector('main h1')", 'the view is there');
      await body(tab, stub);
    } finally {
      await tab.close();
    }
  });
}

/** Each view, in its variants. */
export const VIEWS = ['', '?view=mine&user=all', '?view=campaign&id=12', '?view=campaign&id=9', '?view=why&id=12', '?view=tasks&id=12&state=failed', '?view=tasks&id=12&task=7&output=stderr', '?view=fix&id=12', '?view=fix', '?view=grid', '?view=use', '?view=use&span=7d&cluster=gamma', '?view=conductor', '?view=shares', '?view=order', '?view=order&user=me', '?view=whatif', '?view=whatif&off=beta,delta&fates=12:2,20:p'];
export const isRead = "!document.querySelector('[aria-busy]')";
