// The head of a table: names of its columns, those of numbers on the right.
import type { ComponentChildren } from 'preact';

interface Heading {
  num: ComponentChildren;
}

const isNumber = (of: ComponentChildren | Heading): of is Heading => of !== null && typeof of === 'object' && 'num' in of;

/** `{ num: 'jobs' }` is a column of numbers. */
export function Heads({ of }: { of: (ComponentChildren | Heading)[] }) {
  return (
    <thead>
      <tr>
        {of.map((one, index) => (
          <th key={index} scope="col" class={isNumber(one) ? 'num' : undefined}>
            {isNumber(one) ? one.num : one}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export const numbers = (...names: string[]): Heading[] => names.map((num) => ({ num }));
