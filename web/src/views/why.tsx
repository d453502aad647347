// View 3: why does it wait, and what would help? Each cluster's way through the planner's stages.
import { useResource } from '../live/resource';
import { href } from '../live/router';
import { Notice, Waiting } from '../parts/broken';
import { count, oneLine, parseTime } from '../parts/format';
import { Commands, Sentence, Since, Time } from '../parts/text';
import { isLive, STAGES, STAGE_MEANS } from '../parts/words';
import type { Campaign, Decision, Decisions, Order } from '../types';
import { CampaignHead } from './head';
import { classWords } from './order';
import { Reasons, reasonsSpan } from './reasons';

type Cell = 'passed' | 'stop' | 'sent' | 'not reached';
const SIGN: Record<Cell, string> = { passed: '✓', stop: '✗', sent: '➜', 'not reached': '·' };

/** The fate of a cluster at each stage: it passed all before the one that decided. */
export function cellsOf(decision: Decision): Cell[] {
  const at = (STAGES as readonly string[]).indexOf(decision.stage);
  const hasJobs = decision.reason === 'launched' || (decision.stage === 'emit' && decision.jobs > 0);
  return STAGES.map((_, index) => {
    if (at < 0 || index > at) return 'not reached';
    if (index < at) return 'passed';
    return hasJobs ? 'sent' : 'stop';
  });
}

/** The advice is the end of the sentence: it is shown apart, once. */
export function withoutAdvice(decision: Decision): string {
  const { sentence, advice } = decision;
  if (!advice || !sentence.endsWith(advice)) return sentence;
  return sentence.slice(0, sentence.length - advice.length).replace(/[;,:.\s]+$/, '');
}

function Row({ of, name }: { of: Decision; name: string }) {
  return (
    <tbody>
      <tr>
        <th scope="row">{oneLine(name)}</th>
        {cellsOf(of).map((cell, index) => (
          <td key={STAGES[index]} class={`cell ${cell.replace(' ', '-')}`}>
            <span aria-hidden="true">{SIGN[cell]}</span>
            <span class="sr">{cell}</span>
          </td>
        ))}
        <td class="since">
          <Since at={of.since} />
        </td>
      </tr>
      <tr class="said">
        <td colSpan={STAGES.length + 2}>
          <Sentence text={withoutAdvice(of)} />
          {of.advice ? (
            <>
              {' '}
              <span class="advice">
                <Sentence text={of.advice} />
              </span>
            </>
          ) : null}
        </td>
      </tr>
    </tbody>
  );
}

function Matrix({ of, whole }: { of: Decision[]; whole: string }) {
  return (
    <table class="matrix">
      <caption class="sr">The planner’s stages for each cluster</caption>
      <thead>
        <tr>
          <th scope="col">cluster</th>
          {STAGES.map((stage) => (
            <th key={stage} scope="col" class="stage" title={STAGE_MEANS[stage]}>
              <span>{stage}</span>
            </th>
          ))}
          <th scope="col">for</th>
        </tr>
      </thead>
      {of.map((decision) => (
        <Row key={`${decision.cluster_id} ${decision.reason}`} of={decision} name={decision.cluster_name ?? whole} />
      ))}
    </table>
  );
}

/** Its places: two where it goes first on the clusters of its affinities. */
function Places({ id }: { id: number }) {
  const order = useResource<Order>(`v1/order?campaign=${id}`).data;
  if (!order || order.campaign_order === null) return null;
  return (
    <p>
      {order.items.length === 0 ? 'It has no place now, as nothing can be sent for it' : null}
      {order.items.map((one, index) => `${index > 0 ? ', and ' : ''}${index > 0 ? 'place' : 'Place'} ${count(one.place)} of ${count(order.places)} (class: ${classWords(one.class)})`)}.{' '}
      <a href={href({ view: 'order' })}>who goes first</a>
    </p>
  );
}

/** The sentence on a campaign that is over: a cluster may not have killed its jobs yet. */
export function overText(c: Campaign): string {
  const living = Object.values(c.clusters)
    .map((one) => ({ name: one.cluster_name, jobs: one.active_jobs + one.queued_jobs }))
    .filter((one) => one.jobs > 0);
  const jobs = living.reduce((sum, one) => sum + one.jobs, 0);
  if (jobs === 0) return 'It is over: nothing of it waits for anything.';
  return `It is over, but ${jobs} job${jobs === 1 ? '' : 's'} of it ${jobs === 1 ? 'lives' : 'live'} still (`
    + `${living.map((one) => `${one.jobs} on ${one.name}`).join(', ')}). Epilogues run to their ends; other jobs are killed once their `
    + 'cluster answers and, if it wants one, has a token of their user that works (gridtoken).';
}

export function Why({ id }: { id: number }) {
  const campaign = useResource<Campaign>(`v1/campaigns/${id}`);
  const decisions = useResource<Decisions>(`v1/campaigns/${id}/decisions?limit=1000`);
  const d = decisions.data;
  const c = campaign.data;
  const isOver = c !== null && !isLive(c.state);
  const standing = d?.items.filter((one) => one.reason === 'standing') ?? [];
  const others = d?.items.filter((one) => one.reason !== 'standing') ?? [];
  return (
    <>
      <CampaignHead id={id} of={c} what="Why" />
      <Waiting of={decisions} what="the decisions" />
      {d ? (
        <>
          {d.cannot_end && !isOver ? (
            <Notice kind={d.cannot_end_may_pass ? 'warn' : 'bad'}>
              {d.cannot_end_may_pass ? 'It waits until this changes: ' : 'It cannot end unless somebody acts: '}
              <Sentence text={d.cannot_end} />
            </Notice>
          ) : null}
          {d.old_since && !isOver ? (
            <Notice kind="warn">
              Nothing has been decided since <Time at={d.old_since} /> (<Since at={d.old_since} /> ago): what follows is from then.
            </Notice>
          ) : null}
          {c !== null && isOver ? (
            <p>{overText(c)}</p>
          ) : others.length === 0 ? (
            <p>Nothing was decided on it yet.</p>
          ) : (
            <>
              <div class="wide">
                <Matrix of={others} whole="the campaign" />
              </div>
              <p class="faint">
                ✓ passed, ✗ the stage that stops it, ➜ jobs were sent in the last cycle, · not reached. The stages are those of the planner, in
                its order.
              </p>
            </>
          )}
          {!isOver ? (
            <section>
              <h2>Its place in the order</h2>
              <Places id={id} />
              {standing.map((one) => (
                <p key={`${one.cluster_id}`}>
                  {one.cluster_name ? `${oneLine(one.cluster_name)}: ` : ''}
                  <Sentence text={one.sentence} />
                </p>
              ))}
            </section>
          ) : null}
        </>
      ) : null}
      {c ? <Reasons id={id} until={parseTime(c.end_time)} /> : null}
      <Commands
        list={[
          [`gridstat ${id} --why`, 'says the same'],
          [`gridstat ${id} --order`, 'its place in the order'],
          [`gridstat ${id} --why --since ${reasonsSpan()}`, 'and which reasons it had'],
          [`gridstat ${id} --why --ratio`, 'and how many jobs a free resource is worth'],
        ]}
      />
    </>
  );
}
