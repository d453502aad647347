// docs/architecture/page.md names the tests that hold each promise of the page: they are there. And each view names its commands.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inBrowser, isRead, VIEWS } from './harness';

const textsBelow = (folder: string, end: string): string =>
  readdirSync(folder).map((name) => (name.endsWith(end) ? readFileSync(join(folder, name), 'utf8') : '')).join('\n');
const rows = readFileSync(join(WEB, '../docs/architecture/page.md'), 'utf8').split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| **') && !line.startsWith('| promise'));

test('each promise of the page names tests, and each of them exists', () => {
  const ofPage = textsBelow(join(WEB, 'tests'), '.test.ts').replace(/\\'/g, "'");
  const ofGrid = ['bench', 'db', 'system', 'unit'].map((tier) => textsBelow(join(WEB, '../tests', tier), '.cpp')).join('\n');
  assert(rows.length > 30, `${rows.length} promises`);
  const missing = rows.flatMap((row) => {
    const names = [...row.slice(row.indexOf('|', 2)).matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    if (names.length === 0) return [`no test: ${row}`];
    return names.filter((name) => {
      const [, suite, test] = /^(\w+)\.(\w+)$/.exec(name) ?? [];
      if (suite) return !new RegExp(`^TEST(_F|_P)?\\(${suite},\\s*${test}\\)`, 'm').test(ofGrid);
      const title = name.replace(/…$/, '');
      return !['test', 'inBrowser'].some((word) => ["'", '`', '"'].some((quote) => ofPage.includes(`${word}(${quote}${title}`)));
    });
  });
  assert.deepEqual(missing, []);
});

for (const view of VIEWS)
  inBrowser(`each view names a command, and each command is one of the documents: ${view || 'mine'}`, 'normal', view, async (tab) => {
    await tab.becomes(isRead);
    const commands = (await tab.evaluate("[...document.querySelectorAll('.commands code')].map((one) => one.innerText.replace(/^\\$ /, ''))")) as string[];
    assert(commands.length > 0, 'it names one');
    const documents = readFileSync(join(WEB, '../docs/commands.md'), 'utf8');
    // The table of gridctl's commands leaves out its name.
    const has = (word: string) => documents.includes(word) || documents.includes(`\`${word.replace(/^gridctl /, '')}`);
    for (const command of commands)
      for (const [word] of command.matchAll(/^grid\w+( [a-z]+(?= |$))*|--[a-z-]+/g)) assert(has(word), `${word} of ${command}`);
  });
