// Bundles tests/*.test.ts, as Node 18 reads no TypeScript, and runs them: node tests/run.mjs [NAME...]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here).filter((name) => name.endsWith('.test.ts') && (wanted.length === 0 || wanted.some((one) => name.startsWith(one))));
const out = mkdtempSync(join(tmpdir(), 'gleaner-web-tests-'));
try {
  await build({
    entryPoints: files.map((name) => join(here, name)),
    outdir: out,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: dirname(here),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Modules beside the tests are imported from their own place.
    external: ['*.mjs'],
    banner: { js: "globalThis.location ??= { search: '', hash: '', pathname: '/' };" },
    define: { WEB: JSON.stringify(dirname(here)) },
    logLevel: 'warning',
  });
  const tests = readdirSync(out).filter((name) => name.endsWith('.mjs')).map((name) => join(out, name));
  const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...tests], { stdio: 'inherit', env: { ...process.env, TZ: 'Europe/Paris' } });
  process.exitCode = status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
