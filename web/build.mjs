// node web/build.mjs OUT: writes the page, and OUT/assets.cpp, which holds it for gridapi.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const PIECE = 8000; // compilers bound the length of a literal

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** gzip without name and time; its byte for the operating system is set, so that all machines write the same. */
function gzipped(bytes) {
  const packed = gzipSync(bytes, { level: 9 });
  packed.fill(0, 4, 8);
  packed[9] = 255;
  return packed;
}

/** A byte as a character of a literal. Three octal digits end an escape, whatever follows; ? could begin a trigraph. */
function escaped(byte) {
  const char = String.fromCharCode(byte);
  if (char === '"' || char === '\\') return `\\${char}`;
  return byte >= 0x20 && byte < 0x7f && char !== '?' ? char : `\\${byte.toString(8).padStart(3, '0')}`;
}

function literal(bytes) {
  const pieces = [];
  let piece = '';
  for (const byte of bytes) {
    const next = escaped(byte);
    if (piece.length + next.length > PIECE) {
      pieces.push(piece);
      piece = '';
    }
    piece += next;
  }
  pieces.push(piece);
  return pieces.map((one) => `"${one}"`).join('\n') + 'sv';
}

function sourceOf(assets) {
  const items = assets.map(
    ({ name, type, gzip, bytes }) => `WebAsset{.name = "${name}"sv,\n.type = "${type}"sv,\n.gzip =\n${literal(gzip)},\n.content =\n${literal(bytes)}}`,
  );
  return `// Written by web/build.mjs.
#include <array>
#include <span>
#include <string_view>

#include "api/web_assets.hpp"

namespace gleaner::api {

using namespace std::string_view_literals;

std::span<const WebAsset> web_assets() {
  static constexpr std::array kAssets{
${items.join(',\n')}};
  return kAssets;
}

}  // namespace gleaner::api
`;
}

/** Files of OUT that an earlier build wrote. */
const isOurs = (name) => /^(index\.html|assets\.cpp|(app|icon|chunk)-[A-Z0-9a-z]+\.(js|css|svg))$/.test(name);

export async function buildInto(out) {
  const result = await build({
    entryPoints: { app: join(here, 'src/main.tsx') },
    outdir: out,
    absWorkingDir: here,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022'],
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const files = result.outputFiles.map(({ path, contents }) => ({ name: basename(path), bytes: Buffer.from(contents) }));
  const icon = readFileSync(join(here, 'src/icon.svg'));
  files.push({ name: `icon-${digest(icon).slice(0, 8).toUpperCase()}.svg`, bytes: icon });
  const named = (start, end) => files.find(({ name }) => name.startsWith(start) && name.endsWith(end)).name;
  // What the first script imports is fetched beside it, not after it.
  const [, app] = Object.entries(result.metafile.outputs).find(([path]) => basename(path) === named('app-', '.js'));
  const chunks = app.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path)).sort();
  const html = readFileSync(join(here, 'src/index.html'), 'utf8')
    .replace('@CSS@', named('app-', '.css'))
    .replace('@JS@', named('app-', '.js'))
    .replace('@ICON@', named('icon-', '.svg'))
    .replace('@CHUNKS@', chunks.map((name) => `<link rel="modulepreload" href="${name}">\n`).join(''));
  files.push({ name: 'index.html', bytes: Buffer.from(html) });
  files.sort((a, b) => (a.name < b.name ? -1 : 1));

  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out)) if (isOurs(name)) rmSync(join(out, name));
  const assets = files.map(({ name, bytes }) => ({ name, type: TYPES[extname(name)], gzip: gzipped(bytes), bytes }));
  for (const { name, bytes } of files) writeFileSync(join(out, name), bytes);
  writeFileSync(join(out, 'assets.cpp'), sourceOf(assets));
  return assets.map(({ name, gzip }) => ({ name, gzip: gzip.length }));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const out = process.argv[2];
  if (!out) {
    console.error('usage: node build.mjs OUT');
    process.exit(2);
  }
  for (const { name, gzip } of await buildInto(resolve(out))) console.log(`${String(gzip).padStart(7)}  ${name}`);
}
