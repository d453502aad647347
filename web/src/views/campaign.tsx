// View 2: what became of it, when does it end, how sure is that?
import type { ComponentChildren } from 'preact';
import { useResource } from '../live/resource';
import { href } from '../live/router';
import { now } from '../live/summary';
import { Legend, partsOf, TasksBar } from '../parts/bar';
import { Notice, Waiting } from '../parts/broken';
import { TaskStrip } from '../parts/strip';
import { count, duration, oneLine, percent, visible } from '../parts/format';
import { Heads, numbers } from '../parts/table';
import { Commands, Since, Time } from '../parts/text';
import { basisOf, endWords, isLive, pairState, whyNoForecast } from '../parts/words';
import type { Campaign, CampaignCluster, Efficiency, KeptForecast, Page, Stats } from '../types';
import { CampaignHead } from './head';
import { ProgressOf } from './progress';
import { ToldBefore } from './told';

function Facts({ list }: { list: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {list.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function End({ of }: { of: Campaign }) {
  if (!isLive(of.state))
    return (
      <p class="end big">
        {of.state === 'cancelled' ? 'cancelled' : 'ended'} <Time at={of.end_time} />
      </p>
    );
  const words = endWords(of, now.value);
  if (!words) return <p class="end big">{whyNoForecast(of.forecast_method)}</p>;
  return (
    <p class="end big">
      ends <b>{words.short}</b> <span class="faint">{words.rest}</span>
    </p>
  );
}

const perHour = (each: number): string => `${each * 3600 < 100 ? (each * 3600).toFixed(1) : count(each * 3600)} jobs/hour`;
const seconds = (value: number | null): string => (value === null ? '-' : value < 60 ? `${Number(value.toFixed(1))} s` : duration(value));

function Figures({ of, stats }: { of: Campaign; stats: Stats | null }) {
  const live = isLive(of.state);
  const list: [string, ComponentChildren][] = [
    ['progress', `${count(of.tasks.done)} of ${count(of.total_tasks)} (${percent(of.tasks.done, of.total_tasks)})`],
    ['submitted', <Time at={of.submission_time} />],
  ];
  if (of.first_start_time) list.push(['first job started', <Time at={of.first_start_time} />]);
  else if (of.forecast_start) list.push(['first job expected', <Time at={of.forecast_start} />]);
  if (of.held_tasks > 0) list.push(['held by a user', count(of.held_tasks)]);
  if (stats) {
    list.push([live ? 'since' : 'duration', duration(stats.elapsed_time)]);
    if (live) list.push(['throughput', perHour(stats.jobs_throughput)]);
    list.push(['a job takes', `${seconds(stats.average_jobs_duration)}${stats.stddev_jobs_duration ? ` ± ${seconds(stats.stddev_jobs_duration)}` : ''}`]);
    list.push(['failed', `${(stats.failures_rate * 100).toFixed(1)} % of the tasks that are over`]);
    list.push(['ran again', `${(stats.resubmit_rate * 100).toFixed(1)} % of the jobs that ended`]);
    for (const need of stats.needs)
      list.push([`needs ${oneLine(need.consumable)}`, `${need.each} each; ${count(need.used)}${need.most === null ? '' : ` of ${count(need.most)}`} in use`]);
  }
  if (live && of.forecast_end) list.push(['forecast from', <>{basisOf(of.forecast_method)}, made <Time at={of.forecast_time} /></>]);
  return <Facts list={list} />;
}

function Used({ of }: { of: Efficiency }) {
  const list: [string, ComponentChildren][] = [];
  if (of.walltime_asked)
    list.push(['walltime used', `${percent(of.walltime_used, of.walltime_asked)} of what was asked for the done tasks`]);
  if (of.resource_seconds_held && of.resource_seconds_used !== null)
    list.push([
      'cores used',
      `${percent(of.resource_seconds_used, of.resource_seconds_held)} of ${(of.resource_seconds_held / 3600).toFixed(2)} core-hours held went into done tasks`,
    ]);
  if (list.length === 0) return null;
  return (
    <section>
      <h2>Efficiency</h2>
      <Facts list={list} />
    </section>
  );
}

function Clusters({ of }: { of: CampaignCluster[] }) {
  return (
    <section>
      <h2>Clusters</h2>
      <div class="wide">
        <table>
          <Heads of={['cluster', 'state', ...numbers('running', 'queued', 'done', 'jobs/h', 'ratio', 'a job takes'), 'asks for']} />
          <tbody>
            {of.map((c) => (
              <tr key={c.cluster_name}>
                <th scope="row">{oneLine(c.cluster_name)}</th>
                <td>{pairState(c)}</td>
                <td class="num">{count(c.active_jobs)}</td>
                <td class="num">{count(c.queued_jobs)}</td>
                <td class="num">{count(c.done_jobs)}</td>
                <td class="num">{c.jobs_throughput === null ? '-' : (c.jobs_throughput * 3600).toFixed(1)}</td>
                <td class="num">{c.job_ratio === null ? '-' : c.job_ratio.toFixed(3)}</td>
                <td class="num">{seconds(c.average_jobs_duration)}</td>
                <td>
                  {oneLine(c.resources)}, {duration(c.walltime)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function CampaignView({ id }: { id: number }) {
  const path = `v1/campaigns/${id}`;
  const campaign = useResource<Campaign>(path);
  const stats = useResource<Stats>(`${path}/stats`, { every: 10000 });
  const forecasts = useResource<Page<KeptForecast>>(`${path}/forecasts?limit=1000`, { every: 30000 });
  const c = campaign.data;
  return (
    <>
      <CampaignHead id={id} of={c} what="Campaign" />
      <Waiting of={campaign} what="the campaign" />
      {c ? (
        <>
          <End of={c} />
          <TasksBar tasks={c.tasks} />
          <Legend parts={partsOf(c.tasks)} />
          <TaskStrip id={id} />
          {c.tasks.failed > 0 || c.has_events ? (
            <p>
              <a class="tofix" href={href({ view: 'fix', id: String(id) })}>
                {c.tasks.failed > 0 ? `${count(c.tasks.failed)} to fix` : 'an event is open'}
              </a>
            </p>
          ) : null}
          {c.brake ? (
            <Notice kind="bad">
              Braked: {visible(c.brake.reason)}
              {c.brake.expires ? <>, until <Time at={c.brake.expires} /></> : null}.
            </Notice>
          ) : null}
          {c.standstill && isLive(c.state) ? (
            <Notice kind="bad">
              The grid has stood still for <Since at={c.standstill} />: there is no forecast until a cycle ends.
            </Notice>
          ) : null}
          <Figures of={c} stats={stats.data} />
          {stats.data?.efficiency && !isLive(c.state) ? <Used of={stats.data.efficiency} /> : null}
          <section>
            <h2>Progress</h2>
            <ProgressOf of={c} forecasts={forecasts.data?.items ?? []} />
          </section>
          <section>
            <h2>Forecasts of its end</h2>
            {forecasts.data ? <ToldBefore forecasts={forecasts.data.items} ended={c.end_time} /> : <Waiting of={forecasts} what="the forecasts" />}
          </section>
          <Clusters of={Object.values(c.clusters)} />
        </>
      ) : null}
      <Commands
        list={[
          [`gridstat ${id}`, 'says the same'],
          [`gridstat ${id} --history`, 'the forecasts, and how they came out'],
          [`gridstat ${id} --report ${id}.html`, 'writes a report'],
          ...(c && isLive(c.state)
            ? ([
                c.state === 'paused' ? [`gridsub --resume ${id}`, 'resumes it'] : [`gridsub --hold ${id}`, 'pauses it'],
                [`griddel ${id}`, 'cancels it: its jobs are killed'],
              ] as [string, string][])
            : ([[`gridget ${id}`, 'fetches what its tasks left']] as [string, string][])),
          ...(c && c.tasks.failed > 0 ? ([[`gridsub --retry ${id}`, 'runs its failed tasks again']] as [string, string][]) : []),
        ]}
      />
    </>
  );
}
