// The panels of a dashboard as SVG, with the settings of Grafana that ours has: thresholds, overrides by name, query or expression, two axes, stacks.
const PALETTE = ['#7EB26D', '#EAB839', '#6ED0E0', '#EF843C', '#E24D42', '#1F78C1', '#BA43A9', '#705DA0', '#508642', '#CCA300', '#447EBC', '#C15C17'];
const NAMED = { green: '#56a64b', red: '#e02f44', orange: '#ff780a', yellow: '#f2cc0c', blue: '#3274d9', text: '#3a3c45' };
/** Grafana's own, where a panel has none. */
const DEFAULT_STEPS = [{ color: 'green', value: null }, { color: 'red', value: 80 }];
const [COLUMN, ROW, GAP, TOP] = [1600 / 24, 38, 8, 40];
const escaped = (text) => String(text).replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
const digits = (number) => (Math.abs(number) >= 100 ? number.toFixed(0) : String(Number(number.toPrecision(3))));
const scaled = (number, by, names) => {
  let at = 0;
  for (; Math.abs(number) >= by && at < names.length - 1; ++at) number /= by;
  return digits(number) + names[at];
};

/** The number in a unit of Grafana's. */
export function inUnit(number, unit) {
  if (unit?.startsWith('suffix:')) return `${digits(number)}${unit.slice(7)}`;
  switch (unit) {
    case 'short':
      return scaled(number, 1000, ['', ' K', ' Mil', ' Bil']);
    case 'bytes':
      return scaled(number, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB']);
    case 'percentunit':
      return `${digits(number * 100)}%`;
    case 'reqps':
      return `${digits(number)} req/s`;
    case 's':
      if (Math.abs(number) >= 3600) return `${digits(number / 3600)} hours`;
      if (Math.abs(number) >= 60) return `${digits(number / 60)} mins`;
      if (number !== 0 && Math.abs(number) < 1) return `${digits(number * 1000)} ms`;
      return `${digits(number)} s`;
    default:
      throw new Error(`the unit '${unit}' is not drawn`);
  }
}

/** The name of a series, by the query's legend. */
export const legend = ({ legendFormat }, metric) => legendFormat.replace(/\{\{ *(\w+) *\}\}/g, (_, label) => metric[label] ?? '');

/** The settings of one series: those of the panel, and the overrides that match it. */
function settings(panel, line) {
  const { defaults, overrides } = panel.fieldConfig;
  const field = { unit: defaults.unit, thresholds: defaults.thresholds?.steps ?? DEFAULT_STEPS, axis: 'left', color: null };
  const matches = {
    byName: (name) => line.name === name,
    byRegexp: (pattern) => new RegExp(pattern.replace(/^\/|\/$/g, '')).test(line.name),
    byFrameRefID: (id) => line.target.refId === id,
  };
  for (const { matcher, properties } of overrides) {
    if (!matches[matcher.id]) throw new Error(`the matcher '${matcher.id}' is not drawn`);
    if (!matches[matcher.id](matcher.options)) continue;
    for (const { id, value } of properties) {
      if (id === 'unit') field.unit = value;
      else if (id === 'custom.axisPlacement') field.axis = value;
      else if (id === 'color') field.color = NAMED[value.fixedColor] ?? value.fixedColor;
      else throw new Error(`the setting '${id}' is not drawn`);
    }
  }
  return field;
}

const atStep = (number, steps) => NAMED[steps.filter(({ value }) => value === null || number >= value).at(-1).color];

function stat(panel, lines, width, height) {
  const { textMode, colorMode } = panel.options;
  if (colorMode !== 'background') throw new Error(`the colours '${colorMode}' are not drawn`);
  return lines
    .map((line, at) => {
      const field = settings(panel, line);
      const number = line.points.at(-1)[1];
      const texts = { value: [inUnit(number, field.unit)], name: [line.name], value_and_name: [line.name, inUnit(number, field.unit)] }[textMode];
      const left = (width / lines.length) * at;
      const middle = left + width / lines.length / 2;
      const size = texts.map((text, row) => Math.min(row === texts.length - 1 ? 34 : 15, (1.6 * width) / lines.length / text.length));
      return `<rect x="${left}" y="28" width="${width / lines.length - 4}" height="${height - 30}" fill="${field.color ?? atStep(number, field.thresholds)}"/>${texts
        .map((text, row) => `<text x="${middle}" y="${texts.length === 1 ? 92 : 66 + 42 * row}" fill="#fff" font-size="${size[row]}" text-anchor="middle">${escaped(text)}</text>`)
        .join('')}`;
    })
    .join('');
}

/** Bounds and marks of an axis from 0, or below it. */
function axis(numbers) {
  const [low, high] = [Math.min(0, ...numbers), Math.max(...numbers)];
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((by) => by * power).find((one) => span / one <= 5);
  const bottom = Math.floor(low / step) * step;
  const top = Math.max(bottom + step, Math.ceil((high * 1.001) / step) * step);
  return { bottom, top, marks: Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, at) => bottom + at * step) };
}

function timeseries(panel, lines, width, height, [began, now]) {
  const custom = panel.fieldConfig.defaults.custom;
  const isStacked = custom.stacking.mode === 'normal';
  const plot = { left: 62, right: width - 76, top: 34, bottom: height - 58 };
  const x = (at) => plot.left + ((at - began) / (now - began)) * (plot.right - plot.left);
  const below = new Map(); // the top of the stack at each time
  const prepared = lines.map((line, at) => {
    const field = settings(panel, line);
    const points = line.points.map(([time, number]) => {
      const base = isStacked && field.axis === 'left' ? (below.get(time) ?? 0) : 0;
      if (isStacked && field.axis === 'left') below.set(time, base + number);
      return { time, base, top: base + number };
    });
    return { ...line, ...field, points, color: field.color ?? PALETTE[at % PALETTE.length] };
  });
  let svg = '';
  const axes = {};
  for (const side of ['left', 'right']) {
    const ours = prepared.filter((line) => line.axis === side);
    if (ours.length === 0) continue;
    const one = axis(ours.flatMap(({ points }) => points.map(({ top }) => top)));
    axes[side] = (number) => plot.bottom - ((number - one.bottom) / (one.top - one.bottom)) * (plot.bottom - plot.top);
    for (const mark of one.marks) {
      const y = axes[side](mark);
      const [at, anchor] = side === 'left' ? [plot.left - 6, 'end'] : [plot.right + 6, 'start'];
      svg += `<text x="${at}" y="${y + 4}" fill="#9a9aaa" font-size="11" text-anchor="${anchor}">${inUnit(mark, ours[0].unit)}</text>`;
      if (side === 'left' || !axes.left) svg += `<path d="M${plot.left} ${y}H${plot.right}" stroke="#2a2c34"/>`;
    }
  }
  for (let at = Math.ceil(began / 60) * 60; at < now; at += 60)
    svg += `<text x="${x(at)}" y="${plot.bottom + 15}" fill="#9a9aaa" font-size="11" text-anchor="middle">${new Date(at * 1000).toISOString().slice(11, 16)}</text>`;
  for (const { points, color, axis: side } of prepared) {
    const runs = [];
    points.forEach((point, at) => {
      // Longer than two steps without a point is a gap.
      if (at === 0 || point.time - points[at - 1].time > 3 * Math.max(2, (now - began) / 300)) runs.push([]);
      runs.at(-1).push(point);
    });
    for (const run of runs) {
      const path = (of) => run.map((point) => `${x(point.time).toFixed(1)} ${axes[side](point[of]).toFixed(1)}`);
      if (run.length === 1) svg += `<circle cx="${x(run[0].time)}" cy="${axes[side](run[0].top)}" r="2" fill="${color}"/>`;
      svg += `<path d="M${path('top').join('L')}L${path('base').reverse().join('L')}Z" fill="${color}" opacity="${custom.fillOpacity / 100}"/>`;
      svg += `<path d="M${path('top').join('L')}" fill="none" stroke="${color}" stroke-width="1.3"/>`;
    }
  }
  let [left, top] = [8, height - 24];
  for (const { name, color } of prepared) {
    const room = name.length * 7.2 + 24;
    if (left + room > width && top < height - 8) [left, top] = [8, top + 15];
    if (left + room > width) {
      svg += `<text x="${width - 14}" y="${top}" fill="#ccccdc" font-size="11">…</text>`;
      break;
    }
    svg += `<rect x="${left}" y="${top - 6}" width="12" height="3" fill="${color}"/><text x="${left + 16}" y="${top}" fill="#ccccdc" font-size="11">${escaped(name)}</text>`;
    left += room;
  }
  return svg;
}

/** One panel in its place of the grid of 24 columns. */
export function drawn(panel, lines, span) {
  const { x, y, w, h } = panel.gridPos;
  const [width, height] = [w * COLUMN - GAP, h * ROW - GAP];
  const draw = { stat, timeseries }[panel.type];
  if (!draw) throw new Error(`panels of the type '${panel.type}' are not drawn`);
  const inner = lines.length === 0 ? `<text x="${width / 2}" y="${height / 2}" fill="#e02f44" text-anchor="middle">No data</text>` : draw(panel, lines, width, height, span);
  return `<section style="position:absolute;left:${x * COLUMN + GAP / 2}px;top:${TOP + y * ROW}px"><svg width="${width}" height="${height}" style="background:#181b1f">
<text x="8" y="18" fill="#ccccdc" font-size="13">${escaped(panel.title)}</text>${inner}</svg></section>`;
}
