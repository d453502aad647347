// A table of what administrators declare: its last column has what they can do with a row.
import type { ComponentChildren } from 'preact';
import { root } from '../live/summary';
import { AdminActs, type Deed, type Said } from './acts';
import { Heads } from './table';

interface Figure {
  num: ComponentChildren;
  isBad?: boolean;
}
type Cell = ComponentChildren | Figure;
const isFigure = (of: Cell): of is Figure => of !== null && typeof of === 'object' && 'num' in of;

export interface Row {
  key: string | number;
  name: string; // in the titles of dialogs
  cells: Cell[]; // the first one names the row
  deeds?: Deed[];
  more?: ((said: Said) => ComponentChildren) | undefined;
  depth?: number; // in a tree
}

export function Declared({ heads, rows }: { heads: (ComponentChildren | { num: ComponentChildren })[]; rows: Row[] }) {
  const acts = root.value?.administrator === true;
  return (
    <div class="wide">
      <table>
        <Heads of={acts ? [...heads, 'act'] : heads} />
        <tbody>
          {rows.map(({ key, name, cells: [first, ...others], deeds = [], more, depth = 0 }) => (
            <tr key={key}>
              <th scope="row" style={depth > 0 ? { paddingInlineStart: `${0.5 + depth}rem` } : undefined}>{isFigure(first) ? first.num : first}</th>
              {others.map((cell, index) =>
                isFigure(cell) ? <td key={index} class={`num${cell.isBad ? ' bad' : ''}`}>{cell.num}</td> : <td key={index}>{cell}</td>,
              )}
              {acts ? <td>{deeds.length > 0 || more ? <AdminActs name={name} deeds={deeds} more={more} /> : null}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
