// One task: its attempts, its stdout and stderr.
import { useState } from 'preact/hooks';
import { useResource } from '../live/resource';
import { href, params } from '../live/router';
import { now } from '../live/summary';
import { StateMark } from '../parts/bar';
import { Notice, Waiting } from '../parts/broken';
import { oneLine, parseTime, visible } from '../parts/format';
import { Commands, Time } from '../parts/text';
import { causeOf } from '../parts/words';
import type { Job, OutputTail, TaskDetail } from '../types';
import { lengthOf } from './tasks';

const ROW = 18;

/** The attempts as a small Gantt: waited in a queue, ran, and how it ended. */
function Attempts({ of, at }: { of: Job[]; at: number }) {
  const times = of.flatMap((job) => [parseTime(job.submission_time), parseTime(job.stop_time) ?? at]).filter((t): t is number => t !== null);
  if (times.length === 0) return null;
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const x = (ms: number) => 90 + (to > from ? (540 * (ms - from)) / (to - from) : 0);
  const sentence = of.map((job) => `try ${job.attempt} on ${oneLine(job.cluster_name)}: ${job.ending ? causeOf(job.ending, job.exit_code) : job.state}`).join('; ');
  return (
    <div class="wide">
      <svg class="gantt" viewBox={`0 0 640 ${of.length * ROW + 4}`} role="img" aria-label={sentence}>
        {of.map((job, index) => {
          const sent = parseTime(job.submission_time);
          const stop = parseTime(job.stop_time) ?? at;
          const start = parseTime(job.start_time) ?? stop;
          if (sent === null) return null;
          const y = index * ROW + 3;
          return (
            <g key={job.id}>
              <text x="0" y={y + 11}>{`${job.attempt} ${oneLine(job.cluster_name)}`.slice(0, 14)}</text>
              <rect class="queue" x={x(sent)} width={Math.max(1, x(start) - x(sent))} y={y + 4} height="5" />
              <rect class={job.ending === 'done' ? 'good' : job.ending ? 'bad' : 'ran'} x={x(start)} width={Math.max(2, x(stop) - x(start))} y={y} height="13" />
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function Table({ of, at }: { of: Job[]; at: number }) {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            {['try', 'cluster', 'job', 'OAR’s id', 'state', 'began', 'took', 'ending', 'host', 'CPU', 'MB'].map((name) => (
              <th key={name} scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.map((job) => (
            <tr key={job.id}>
              <th scope="row">{job.attempt}</th>
              <td>{oneLine(job.cluster_name)}</td>
              <td class="num">{job.id}</td>
              <td class="num">{job.remote_id ?? ''}</td>
              <td>{oneLine(job.state)}</td>
              <td>{job.start_time ? <Time at={job.start_time} /> : ''}</td>
              <td class="num">{lengthOf(job, at)}</td>
              <td>{job.ending ? causeOf(job.ending, job.exit_code) : ''}</td>
              <td>{oneLine((job.hosts ?? []).join(', '))}</td>
              <td class="num">{job.cpu_seconds === null ? '' : `${job.cpu_seconds.toFixed(1)} s`}</td>
              <td class="num">{job.peak_memory_mb ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Output({ id, task, stream, lines }: { id: number; task: number; stream: string; lines: string }) {
  // The cluster is asked at once, so this is read only when somebody wants it.
  const [time, setTime] = useState(0);
  const tail = useResource<OutputTail>(`v1/campaigns/${id}/tasks/${task}/${stream}?lines=${lines}`, { follow: false, again: time });
  const t = tail.data;
  return (
    <>
      <Waiting of={tail} what={stream} />
      {t ? (
        <>
          <p class="faint">
            {t.is_whole ? 'all' : `the last ${t.lines} lines`} of {oneLine(t.path)}, try {t.attempt} on {oneLine(t.cluster_name)}
            {t.is_cut ? '; the last line is cut' : ''}
          </p>
          {t.output ? <pre tabIndex={0}>{visible(t.output)}</pre> : <p>It is empty.</p>}
        </>
      ) : null}
      <button type="button" onClick={() => setTime(time + 1)}>read again</button>
    </>
  );
}

function commandsOf(id: number, task: TaskDetail): [string, string][] {
  const list: [string, string][] = [
    [`gridstat ${id} --task ${task.id}`, 'says the same'],
    [`gridstat ${id} --task ${task.id} --stdout`, 'the last lines of its stdout'],
    [`gridstat ${id} --task ${task.id} --stderr`, 'of its stderr'],
  ];
  if (task.state === 'failed') list.push([`gridsub --retry ${id} --task ${task.id}`, 'runs it again']);
  if (task.state === 'waiting' && !task.held_by) list.push([`gridsub --hold ${id} --task ${task.id}`, 'holds it']);
  if (task.held_by) list.push([`gridsub --resume ${id} --task ${task.id}`, 'releases it']);
  if (['waiting', 'launching', 'submitted', 'running'].includes(task.state)) list.push([`griddel ${id} --task ${task.id}`, 'cancels it']);
  return list;
}

export function OneTask({ id, task }: { id: number; task: number }) {
  const detail = useResource<TaskDetail>(`v1/campaigns/${id}/tasks/${task}`, { every: 5000 });
  const t = detail.data;
  const { output = '', lines = '20', ...rest } = params.value;
  const { task: _, ...list } = rest;
  const isStream = output === 'stdout' || output === 'stderr';
  const withOutput = (stream: string, most: string) => href({ ...rest, output: stream, lines: most });
  return (
    <>
      <p><a href={href(list)}>back to the list</a></p>
      <Waiting of={detail} what="the task" />
      {t ? (
        <>
          <h2>
            Task {t.id} <StateMark state={t.state} />
          </h2>
          <pre>{visible(t.parameters)}</pre>
          {t.held_by ? <Notice>Held by {oneLine(t.held_by)}.</Notice> : null}
          {t.waits_for_checkpoint_on ? <Notice>It waits for {oneLine(t.waits_for_checkpoint_on)}: its checkpoint is there.</Notice> : null}
          {t.waits_for_files_on ? <Notice>It waits for {oneLine(t.waits_for_files_on)}: files of the task before it are there.</Notice> : null}
          {t.withheld ? <Notice kind="warn">It waits: {visible(t.withheld)}.</Notice> : null}
          <h2>Attempts</h2>
          {t.jobs.length === 0 ? (
            <p>It had no job yet.</p>
          ) : (
            <>
              <Attempts of={t.jobs} at={now.value} />
              <Table of={t.jobs} at={now.value} />
              {t.jobs.filter((job) => job.message).map((job) => (
                <p key={job.id}>
                  try {job.attempt}: {visible(job.message ?? '')}
                </p>
              ))}
            </>
          )}
          <h2>Output</h2>
          <nav class="filters" aria-label="Output">
            {['stdout', 'stderr'].map((stream) => (
              <a key={stream} href={withOutput(stream, lines)} aria-current={output === stream ? 'true' : undefined}>{stream}</a>
            ))}
            {isStream
              ? ['20', '200', '2000'].map((most) => (
                  <a key={most} href={withOutput(output, most)} aria-current={lines === most ? 'true' : undefined}>last {most} lines</a>
                ))
              : null}
          </nav>
          {isStream ? <Output key={`${output} ${lines}`} id={id} task={task} stream={output} lines={/^\d+$/.test(lines) ? lines : '20'} /> : null}
          <Commands list={commandsOf(id, t)} />
        </>
      ) : null}
    </>
  );
}
