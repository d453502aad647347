// The head of all views of one campaign: what it is, and the way to the others.
import { href, view } from '../live/router';
import { Acts } from '../parts/acts';
import { oneLine } from '../parts/format';
import { stateWord } from '../parts/words';
import type { Campaign } from '../types';

const TABS: [string, string][] = [
  ['campaign', 'Campaign'],
  ['why', 'Why'],
  ['tasks', 'Tasks'],
  ['fix', 'To fix'],
];

export function CampaignHead({ id, of, what }: { id: number; of: Campaign | null; what: string }) {
  return (
    <>
      <div class="title">
        <h1 tabIndex={-1}>
          <span class="sr">{what}: </span>
          {id} {of ? oneLine(of.name) : ''}
        </h1>
        {of ? (
          <span class="faint">
            {oneLine(of.user)} · {stateWord(of.state)}
          </span>
        ) : null}
      </div>
      {of ? <Acts key={id} of={of} /> : null}
      <nav class="tabs" aria-label="Of this campaign">
        {TABS.map(([name, title]) => (
          <a key={name} href={href({ view: name, id: String(id) })} aria-current={view.value === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </>
  );
}
