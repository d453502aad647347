// The seven states are told apart by colour, in four visions and both themes. They have letters and textures besides.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { STATES } from '../src/parts/words';

type Triple = [number, number, number];

const style = readFileSync(join(WEB, 'src/style.css'), 'utf8');

/** A custom property of the style: light-dark(LIGHT, DARK). */
function colourOf(name: string, theme: 'light' | 'dark'): Triple {
  const match = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(style);
  assert(match, `--${name} has a colour for each theme`);
  const hex = match[theme === 'light' ? 1 : 2]!;
  return [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Triple;
}

// Linear RGB as seen without one kind of cones: Machado, Oliveira and Fernandes, 2009, severity 1.
const VISIONS: Record<string, Triple[]> = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const times = (rows: Triple[], [r, g, b]: Triple): Triple => rows.map(([x, y, z]) => x * r + y * g + z * b) as Triple;
const seen = (colour: Triple, vision: string): Triple => times(VISIONS[vision]!, colour).map((v) => Math.min(1, Math.max(0, v))) as Triple;

function lab(colour: Triple): Triple {
  const xyz = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], colour);
  const white = [0.95047, 1, 1.08883];
  const [x, y, z] = xyz.map((v, index) => {
    const t = v / white[index]!;
    return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
  }) as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000: Sharma, Wu and Dalal, 2005. */
function distance([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const rad = Math.PI / 180;
  const power = (c: number) => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const g = 0.5 * (1 - power((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const [c1, c2] = [Math.hypot(a1 * (1 + g), b1), Math.hypot(a2 * (1 + g), b2)];
  const hue = (a: number, b: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a * (1 + g)) / rad + 360) % 360);
  const [h1, h2] = [hue(a1, b1), hue(a2, b2)];
  let dh = c1 * c2 === 0 ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin((dh / 2) * rad);
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  let h = h1 + h2;
  if (c1 * c2 !== 0) h = Math.abs(h1 - h2) <= 180 ? h / 2 : h < 360 ? (h + 360) / 2 : (h - 360) / 2;
  const t =
    1 - 0.17 * Math.cos((h - 30) * rad) + 0.24 * Math.cos(2 * h * rad) + 0.32 * Math.cos((3 * h + 6) * rad) - 0.2 * Math.cos((4 * h - 63) * rad);
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [sc, sh] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const rt = -2 * power(c) * Math.sin(60 * Math.exp(-(((h - 275) / 25) ** 2)) * rad);
  const [x, y, z] = [(l2 - l1) / sl, (c2 - c1) / sc, dH / sh];
  return Math.sqrt(x * x + y * y + z * z + rt * y * z);
}

const luminance = (colour: Triple): number => times([[0.2126, 0.7152, 0.0722], [0, 0, 0], [0, 0, 0]], colour)[0];
function contrast(a: Triple, b: Triple): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

test('the distance is CIEDE2000, by examples of its authors', () => {
  const examples: [Triple, Triple, number][] = [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ];
  for (const [a, b, expected] of examples) assert(Math.abs(distance(a, b) - expected) < 1e-4, `${a} to ${b} is ${expected}`);
});

for (const theme of ['light', 'dark'] as const) {
  test(`any two states differ by 15 or more in four visions: ${theme}`, () => {
    for (const vision of Object.keys(VISIONS))
      for (const [index, one] of STATES.entries())
        for (const other of STATES.slice(0, index)) {
          const d = distance(lab(seen(colourOf(one, theme), vision)), lab(seen(colourOf(other, theme), vision)));
          assert(d >= 15, `${one} and ${other}: ${d.toFixed(1)} (${vision})`);
        }
  });

  test(`states and words stand out from the page: ${theme}`, () => {
    for (const ground of ['page', 'raised']) {
      for (const state of STATES) {
        const c = contrast(colourOf(state, theme), colourOf(ground, theme));
        assert(c >= 3, `${state} on ${ground}: ${c.toFixed(2)}`);
      }
      for (const ink of ['text', 'faint', 'link', 'warn', 'bad']) {
        const c = contrast(colourOf(ink, theme), colourOf(ground, theme));
        assert(c >= 4.5, `${ink} on ${ground}: ${c.toFixed(2)}`);
      }
    }
  });
}
