// View 9: who goes first in the next plan, and by which figures? The ranking of the order, class by class.
import { useResource } from '../live/resource';
import { href, params } from '../live/router';
import { Notice, Waiting } from '../parts/broken';
import { count, oneLine, plural } from '../parts/format';
import { Heads, numbers } from '../parts/table';
import { Commands, Sentence, Since, Time } from '../parts/text';
import type { Order as OrderAnswer, OrderClass, OrderPlace } from '../types';

const PAGE = 100;
const INTRODUCTION = 'its place in the order: ';

const NORMAL = 4; // the priority of a project, and of a group, to which nobody gave one

/** `priority 2, its affinities`: as gridstat --order names it. */
export function classWords(of: OrderClass): string {
  const words: string[] = [];
  if (of.type === 'test') words.push('test');
  if (of.type === 'lowest_priority') words.push('lowest');
  if (of.project_priority !== null && of.project_priority !== NORMAL) words.push(`project priority ${of.project_priority}`);
  if (of.group_priority !== null && of.group_priority !== NORMAL) words.push(`group priority ${of.group_priority}`);
  if (of.priority !== null) words.push(`priority ${of.priority}`);
  if (of.clusters === 'affinity') words.push('its affinities');
  if (of.clusters === 'others') words.push('other clusters');
  return words.length > 0 ? words.join(', ') : 'all';
}

export const figuresText = (sentence: string | null): string =>
  sentence === null ? '' : sentence.startsWith(INTRODUCTION) ? sentence.slice(INTRODUCTION.length) : sentence;

const COLUMNS = 3;

function Row({ of, isFirst }: { of: OrderPlace; isFirst: boolean }) {
  const text = figuresText(of.sentence);
  return (
    <tbody>
      {isFirst ? (
        <tr class="order-class">
          <th scope="rowgroup" colSpan={COLUMNS}>class {count(of.class.number)}: {classWords(of.class)}</th>
        </tr>
      ) : null}
      <tr class="order-place">
        <td class="num">{count(of.place)}</td>
        <th scope="row">
          {of.campaign_id === null ? (
            <span class="faint">of another user</span>
          ) : (
            <a data-row href={href({ view: 'why', id: String(of.campaign_id) })}>
              {of.campaign_id} {oneLine(of.name ?? '')}
            </a>
          )}
        </th>
        <td>{of.user === null ? '' : oneLine(of.user)}</td>
      </tr>
      {of.submission_time === null ? null : (
        <tr class="order-by">
          <td />
          <td colSpan={COLUMNS - 1}>
            {text ? <Sentence text={text} /> : <>submitted <Time at={of.submission_time} minute /></>}
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** Where the order has no figures, what it goes by is the same for all. */
const BASIS: Record<string, string> = {
  fifo: 'within a class the campaign that was submitted first goes first',
  cheapest: 'within a class the campaign whose job costs least goes first',
  fairshare: 'within a class the campaign of the user whose share is used least goes first; what a plan gives counts at once',
  fairtree: 'within a class the campaign of the user goes first who is first in the tree of shares',
  multifactor: 'within a class the campaign with the greatest sum of weighted factors goes first',
  tickets: 'within a class campaigns are drawn: the first here is the one most likely drawn first',
};
export function basisOfOrder(order: string): string {
  const last = order.split(',').at(-1)!.trim();
  return BASIS[last] ?? BASIS['fifo']!;
}

function Places({ of, offset }: { of: OrderAnswer; offset: number }) {
  const isMine = params.value['user'] === 'me';
  const to = (at: number) => href({ view: 'order', user: isMine ? 'me' : '', from: at > 0 ? String(at) : '' });
  if (of.campaign_order === null) return <p>Nothing was planned yet.</p>;
  return (
    <>
      <p>
        The order is <code>{oneLine(of.campaign_order)}</code>: {basisOfOrder(of.campaign_order)}. It has {plural(of.places, 'place')}, and is as it
        stands since <Time at={of.since} /> (<Since at={of.since} /> ago).
      </p>
      {of.items.length === 0 ? (
        <p>{isMine ? 'None of your campaigns has a place in it: nothing can be sent for them now.' : 'No campaign has a place in it: nothing can be sent for any now.'}</p>
      ) : (
        <div class="wide">
          <table class="order">
            <caption class="sr">The campaigns in the order in which they are served</caption>
            <Heads of={[...numbers('place'), 'campaign', 'user']} />
            {of.items.map((place, index) => (
              <Row key={place.place} of={place} isFirst={place.class.number !== of.items[index - 1]?.class.number} />
            ))}
          </table>
        </div>
      )}
      {of.total > of.items.length ? (
        <nav class="switch" aria-label="Pages">
          {offset > 0 ? <a data-page="prev" href={to(Math.max(0, offset - PAGE))}>places before</a> : null}
          {offset + PAGE < of.total ? <a data-page="next" href={to(offset + PAGE)}>next places</a> : null}
        </nav>
      ) : null}
    </>
  );
}

export function Order() {
  const isMine = params.value['user'] === 'me';
  const offset = Math.max(0, Number(params.value['from'] ?? 0) || 0);
  const order = useResource<OrderAnswer>(`v1/order?limit=${PAGE}&offset=${offset}${isMine ? '&user=me' : ''}`);
  const one = (title: string, user: string) => (
    <a href={href({ view: 'order', user })} aria-current={isMine === (user === 'me') ? 'true' : undefined}>{title}</a>
  );
  return (
    <>
      <div class="title">
        <h1 tabIndex={-1}>Who goes first</h1>
        <nav class="switch" aria-label="Whose">
          {one('all', '')}
          {one('mine', 'me')}
        </nav>
      </div>
      <Waiting of={order} what="the order" />
      {order.data?.old_since ? (
        <Notice kind="warn">
          Nothing has been planned since <Time at={order.data.old_since} />: the order is from then.
        </Notice>
      ) : null}
      {order.data ? <Places of={order.data} offset={offset} /> : null}
      <p class="faint">Campaigns that nothing can be sent for are not in it: paused or braked ones, those without a waiting task, and those whose clusters are closed to them.</p>
      <Commands
        list={[
          [isMine ? 'gridstat --order -u' : 'gridstat --order', 'says the same'],
          ['gridctl share list', 'the shares that were agreed'],
        ]}
      />
    </>
  );
}
