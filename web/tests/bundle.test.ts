// The files that are served: their bytes, and that two builds are the same.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';

const FIRST = 45000;
const ALL = 75000;

let folders: string[] = [];
before(async () => {
  const { buildInto } = (await import(`${WEB}/build.mjs`)) as { buildInto(out: string): Promise<unknown> };
  folders = [mkdtempSync(join(tmpdir(), 'gleaner-web-')), mkdtempSync(join(tmpdir(), 'gleaner-web-'))];
  for (const folder of folders) await buildInto(folder);
});
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const read = (name: string, folder = folders[0]!): string => readFileSync(join(folder, name), 'utf8');
const gzipped = (names: string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folders[0]!, name)), { level: 9 }).length, 0);

test('the first script and style are within their bytes, and so is the whole page', () => {
  const html = read('index.html');
  const served = readdirSync(folders[0]!).filter((name) => name !== 'assets.cpp');
  const first = gzipped(served.filter((name) => html.includes(name) && /\.(js|css)$/.test(name)));
  const all = gzipped(served);
  assert(first > 5000 && first <= FIRST, `the first script and style take ${first} of ${FIRST} bytes`);
  assert(all <= ALL, `all takes ${all} of ${ALL} bytes`);
});

test('two builds give the same bytes', () => {
  const names = readdirSync(folders[0]!);
  assert.deepEqual(readdirSync(folders[1]!), names);
  for (const name of names) assert(read(name) === read(name, folders[1]!), name);
});

test('the page has no inline script or style, and all its addresses are relative', () => {
  const html = read('index.html');
  assert(!/<style|style=|<script(?![^>]* src=)|\son\w+=/.test(html), html);
  for (const [, address] of html.matchAll(/(?:src|href)="([^"]*)"/g)) assert.match(address!, /^[\w.-]+$/);
  const script = read(readdirSync(folders[0]!).find((name) => /^app.*js$/.test(name))!);
  // The names of XML's namespaces are not loaded.
  const origins = [...script.matchAll(/https?:\/\/[^"'`/]*/g)].map(([origin]) => origin).filter((origin) => !/^http:\/\/(www\.w3\.org|api)$/.test(origin));
  assert.deepEqual(origins, []);
});

/** The bytes of the literals between two marks of the source. */
function bytesOf(source: string): number[] {
  const bytes: number[] = [];
  for (const [, text] of source.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
    assert(text!.length <= 8000, 'a piece is short enough for compilers');
    for (const [, octal, char, plain] of text!.matchAll(/\\([0-7]{3})|\\(["\\])|([^\\])/g)) bytes.push(octal ? parseInt(octal, 8) : (char ?? plain)!.charCodeAt(0));
  }
  return bytes;
}

test('assets.cpp has each file, as it is and compressed without a time', () => {
  const source = read('assets.cpp');
  const names = readdirSync(folders[0]!).filter((name) => name !== 'assets.cpp');
  const members = [...source.matchAll(/\.(name|type|gzip|content) =\s*((?:"(?:[^"\\]|\\.)*"\s*)+)sv/g)].map(([, name, literals]) => ({ name: name!, bytes: bytesOf(literals!) }));
  assert.deepEqual(members.map(({ name }) => name), names.flatMap(() => ['name', 'type', 'gzip', 'content']));
  names.forEach((name, index) => {
    const [named, , gzip, content] = members.slice(4 * index).map(({ bytes }) => Uint8Array.from(bytes));
    const file = [...readFileSync(join(folders[0]!, name))];
    assert.equal(new TextDecoder().decode(named), name);
    assert.deepEqual([...gzip!.slice(0, 8)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
    assert.deepEqual([...gunzipSync(gzip!)], file);
    assert.deepEqual([...content!], file);
  });
});
