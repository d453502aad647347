// A picture of packaging/prometheus/gleaner.dashboard.json: node tests/dashboard.mjs FILE.png SOCKET FOLDER (tools/dashboard-picture has it).
// A real Prometheus scrapes the gridapi of SOCKET until stdin ends, and answers the queries of the panels. Grafana itself is not in Debian: the
// panels are drawn here, as Grafana places and words them. FOLDER: for Prometheus' files. A panel without data is an error, and so is a setting that is not drawn.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { drawn, legend } from './dashboard_panels.mjs';
import { tunnelTo } from './tunnel.mjs';

const SCRAPE_EVERY = 2; // seconds
const [file, socketPath, folder] = process.argv.slice(2);
const packaging = new URL('../../packaging/prometheus/', import.meta.url);
const dashboard = JSON.parse(readFileSync(new URL('gleaner.dashboard.json', packaging), 'utf8'));

/** A server on a free port of 127.0.0.1. */
const listening = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));

// Prometheus scrapes TCP alone; the owner of the grid may read /metrics over the socket.
const tunnel = await tunnelTo(socketPath);
const reserved = createServer();
const port = await listening(reserved);
await new Promise((done) => reserved.close(done));

writeFileSync(
  join(folder, 'prometheus.yml'),
  `global: {scrape_interval: ${SCRAPE_EVERY}s, scrape_timeout: ${SCRAPE_EVERY}s, evaluation_interval: ${SCRAPE_EVERY}s}
rule_files: [${new URL('gleaner.rules.yml', packaging).pathname}]
scrape_configs: [{job_name: gleaner, static_configs: [{targets: ["127.0.0.1:${tunnel.port}"]}]}]
`,
);
const prometheus = spawn(
  'prometheus',
  [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);
process.on('exit', () => prometheus.kill('SIGKILL'));
prometheus.on('error', (error) => fail(`there is no prometheus (apt-get install prometheus): ${error.message}`));
const fail = (text) => {
  console.error(`dashboard: ${text}`);
  process.exit(1);
};

async function ask(path, parameters) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(parameters)}`);
  const { status, data, error } = await answer.json();
  if (status !== 'success') fail(`${JSON.stringify(parameters)}: ${error}`);
  return data;
}

const began = Date.now() / 1000;
for await (const ignored of process.stdin) void ignored; // what the grid does meanwhile is the caller's
const now = Date.now() / 1000;
const targets = (await ask('targets', {})).activeTargets;
for (const { scrapePool, health, lastError, scrapeUrl } of targets) console.log(`target ${scrapePool} ${scrapeUrl}: ${health} ${lastError}`);
if (targets.some(({ health }) => health !== 'up')) fail('a target is not up');

/** The value of each variable while its choice is "All", as Grafana fills it in; each must offer something. */
const variables = {};
for (const { name, type, query, allValue } of dashboard.templating.list) {
  if (type !== 'query') continue;
  const [, series, label] = /^label_values\((\w+), *(\w+)\)$/.exec(query) ?? fail(`variable ${name}: ${query}`);
  if ((await ask(`label/${label}/values`, { 'match[]': series, start: began, end: now })).length === 0) fail(`variable ${name} offers nothing`);
  variables[name] = allValue;
}
const filled = (expression) => expression.replace(/\$\{?(\w+)\}?/g, (all, name) => variables[name] ?? fail(`no variable ${all}`));

/** The series of a panel: `{target, name, points: [[seconds, number]...]}`; an instant query has one point of each. */
async function series(panel) {
  const found = [];
  for (const target of panel.targets) {
    const query = filled(target.expr);
    const { result } = target.instant
      ? await ask('query', { query, time: now })
      : await ask('query_range', { query, start: began, end: now, step: Math.max(SCRAPE_EVERY, (now - began) / 300) });
    let isEmpty = true;
    for (const { metric, value, values } of result) {
      const points = (values ?? [value]).map(([at, number]) => [at, Number(number)]).filter(([, number]) => Number.isFinite(number));
      if (points.length === 0) continue;
      isEmpty = false;
      found.push({ target, name: legend(target, metric), points });
    }
    if (isEmpty) console.log(`panel ${panel.id} "${panel.title}", query ${target.refId}: no data`);
  }
  return found;
}

const panels = [];
const empty = [];
for (const panel of dashboard.panels) {
  const lines = await series(panel);
  if (lines.length === 0) empty.push(`"${panel.title}"`);
  panels.push(drawn(panel, lines, [began, now]));
}
prometheus.kill('SIGKILL');
tunnel.close();

const page = join(folder, 'dashboard.html');
writeFileSync(
  page,
  `<!doctype html><meta charset=utf-8><title>dashboard</title><style>
body { margin: 0; background: #111217; color: #ccccdc; font: 12px "DejaVu Sans", sans-serif; position: relative }
h1 { font-size: 15px; font-weight: 500; margin: 0; padding: 10px 12px; height: 20px }
h1 small { font-weight: 400; color: #9a9aaa }
</style><h1>${dashboard.title} <small>${dashboard.panels.length} panels, ${Math.round((now - began) / 60)} minutes of a grid of gridlocal; drawn by tools/dashboard-picture, not by Grafana</small></h1>
${panels.join('\n')}`,
);
const browser = await launch();
const rows = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
const view = await browser.open(`file://${page}`, { width: 1600, height: 40 + rows * 38 });
await view.becomes('document.querySelectorAll("section").length > 0');
await view.picture(file);
await browser.close();
if (view.complaints.length > 0) fail(view.complaints.join('\n'));
if (empty.length > 0) fail(`without data: ${empty.join(', ')}`);
