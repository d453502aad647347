// Node's modules, as far as the tests use them; the complete types are a package of their own.
declare const WEB: string; // the folder of this package, from tests/run.mjs

declare const process: { env: Record<string, string | undefined> };

declare module 'node:test' {
  interface Context {
    skip(why: string): void;
  }
  type Body = (context: Context) => void | Promise<void>;
  export function test(name: string, body: Body): void;
  export function before(body: () => void | Promise<void>): void;
  export function after(body: () => void | Promise<void>): void;
}
declare module 'node:assert/strict' {
  const assert: {
    (value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(text: string, pattern: RegExp, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
  };
  export default assert;
}
declare module 'node:fs' {
  export function readFileSync(path: string, encoding: 'utf8'): string;
  export function readFileSync(path: string): Uint8Array;
  export function readdirSync(path: string): string[];
  export function mkdtempSync(prefix: string): string;
  export function rmSync(path: string, options: { recursive: boolean; force: boolean }): void;
}
declare module 'node:os' {
  export function tmpdir(): string;
}
declare module 'node:path' {
  export function join(...parts: string[]): string;
}
declare module 'node:zlib' {
  export function gunzipSync(bytes: Uint8Array): Uint8Array;
  export function gzipSync(bytes: Uint8Array, options: { level: number }): Uint8Array;
}
