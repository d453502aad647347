// What the user may do with a campaign: each act asks first, and says in numbers what will happen. The server decides, and its answer is
// what is shown.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, act, asFailure } from '../live/api';
import { bell, ring, root } from '../live/summary';
import type { Campaign, FailureGroup } from '../types';
import { count, oneLine, plural } from './format';
import { isLive } from './words';

const MANY = 10000; // tasks; whoever cancels more types the name

export interface Deed {
  label: string;
  words: string[];
  method: 'POST' | 'DELETE';
  path: string;
  isFinal?: boolean;
  asks?: string; // a path that says, by the same method, what the act would do; the first of `words` is what is known before it has answered
  named?: boolean; // the campaign's name is typed
}

/** The acts that the state of a campaign allows. isMine: it is the reader's own, not that of a user whom an administrator helps. */
export function deedsOf(c: Campaign, isMine: boolean): Deed[] {
  const path = `v1/campaigns/${c.id}`;
  const { waiting, launching, submitted, running, done, failed } = c.tasks;
  const jobs = launching + submitted + running;
  const deeds: Deed[] = [];
  if (c.state === 'in_treatment')
    deeds.push({
      label: 'Pause', method: 'POST', path: `${path}/hold`, asks: `${path}/hold?dry_run=1`,
      words: [`${plural(jobs, 'task')} that ${jobs === 1 ? 'has' : 'have'} a job on a cluster ${jobs === 1 ? 'goes' : 'go'} on.`, 'No further job of it is sent until it is resumed.'],
    });
  if (c.state === 'paused')
    deeds.push({
      label: 'Resume', method: 'POST', path: `${path}/resume`, asks: `${path}/resume?dry_run=1`,
      words: ['It is in treatment again.', `${plural(waiting, 'waiting task')} may be sent. Its brakes are lifted.`],
    });
  if (failed > 0 && c.state !== 'cancelled')
    deeds.push({
      label: `Run ${count(failed)} failed again`, method: 'POST', path: `${path}/retries?expect=${failed}`, asks: `${path}/retries?expect=${failed}&dry_run=1`,
      words: [`${plural(failed, 'failed task')} ${failed === 1 ? 'runs' : 'run'} again.`, 'Each is a new attempt.'],
    });
  if (c.has_events)
    deeds.push({
      label: 'Close events', method: 'DELETE', path: `${path}/events`, asks: `${path}/events?dry_run=1`,
      words: ['Its open events are closed.', 'Its brakes are lifted. A prologue or epilogue that failed runs again.'],
    });
  if (isLive(c.state))
    deeds.push({
      label: 'Cancel', method: 'DELETE', path, asks: `${path}?dry_run=1`, isFinal: true, named: !isMine || waiting + jobs > MANY,
      words: [
        `${plural(jobs, 'job')} of it ${jobs === 1 ? 'is' : 'are'} killed, and ${plural(waiting + jobs, 'task')} ${waiting + jobs === 1 ? 'is' : 'are'} cancelled. ${count(done)} stay done, and ${count(failed)} failed.`,
        'It cannot be undone.',
      ],
    });
  return deeds;
}

function Asked({ of, name, close, said }: { of: Deed; name: string; close: () => void; said: (words: string, isGood: boolean) => void }) {
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const isReady = !isBusy && (!of.named || typed === name);
  const isAsked = useRef(false); // at once, while the button is drawn again only later
  const [told, setTold] = useState<string | null>(null);
  useEffect(() => {
    if (!of.asks) return;
    let isOver = false;
    act(of.method, of.asks).then((words) => isOver || setTold(words), (error: unknown) => isOver || setTold(`What it would do is not known now: ${asFailure(error).message}`));
    return () => {
      isOver = true;
    };
  }, [of.asks]);
  const go = async () => {
    if (isAsked.current) return;
    isAsked.current = true;
    setBusy(true);
    try {
      said(await act(of.method, of.path), true);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      said(asFailure(error).message, false);
    }
    bell.value = bell.peek() + 1; // what a view has read besides the summary
    ring();
    close();
  };
  return (
    <>
      {told ? <p role="status">{oneLine(told)}.</p> : null}
      {(told ? of.words.slice(1) : of.words).map((words) => (
        <p key={words}>{words}</p>
      ))}
      {of.named ? (
        <p>
          <label>
            To go on, type its name, <b>{oneLine(name)}</b>:{' '}
            <input autocomplete="off" spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
        </p>
      ) : null}
      <p class="choice">
        <button type="button" class={of.isFinal ? 'final' : ''} disabled={!isReady} onClick={() => void go()}>
          {isBusy ? 'asked …' : of.label}
        </button>{' '}
        <button type="button" autofocus onClick={close}>do nothing</button>
      </p>
    </>
  );
}

function Act({ of, name, said }: { of: Deed; name: string; said: (words: string, isGood: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => dialog.current?.close();
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        {of.label} …
      </button>
      <dialog ref={dialog} aria-label={`${of.label}: ${oneLine(name)}`} onClose={() => setOpen(false)}>
        <h2>{of.label}: {oneLine(name)}</h2>
        {isOpen ? <Asked of={of} name={name} close={close} said={said} /> : null}
      </dialog>
    </>
  );
}

/** Buttons for these deeds, and the server's answer to the last one; nothing for whoever may not act. */
function Deeds({ of: c, deeds }: { of: Campaign; deeds: (isMine: boolean) => Deed[] }) {
  const [answer, setAnswer] = useState<{ words: string; isGood: boolean } | null>(null);
  const isMine = root.value?.user === c.user;
  if (!isMine && !root.value?.administrator) return null;
  const said = (words: string, isGood: boolean) => setAnswer({ words, isGood });
  return (
    <div class="acts">
      {deeds(isMine).map((deed) => (
        <Act key={deed.label} of={deed} name={c.name} said={said} />
      ))}
      <span role="status" class={answer && !answer.isGood ? 'bad' : ''}>{answer ? oneLine(answer.words) : ''}</span>
    </div>
  );
}

/** Buttons for deeds of administrators, about something of the grid. */
export function AdminActs({ name, deeds }: { name: string; deeds: Deed[] }) {
  const [answer, setAnswer] = useState<{ words: string; isGood: boolean } | null>(null);
  if (!root.value?.administrator) return null;
  return (
    <div class="acts">
      {deeds.map((deed) => (
        <Act key={deed.label} of={deed} name={name} said={(words, isGood) => setAnswer({ words, isGood })} />
      ))}
      <span role="status" class={answer && !answer.isGood ? 'bad' : ''}>{answer ? oneLine(answer.words) : ''}</span>
    </div>
  );
}

export const Acts = ({ of: c }: { of: Campaign }) => <Deeds of={c} deeds={(isMine) => deedsOf(c, isMine)} />;

/** Refused by the server when the group has another number of tasks by then. */
export const retryOfGroup = (c: Campaign, { id, tasks }: FailureGroup): Deed => ({
  label: tasks === 1 ? 'Run it again' : `Run these ${count(tasks)} again`,
  method: 'POST',
  path: `v1/campaigns/${c.id}/retries?failure=${id}&expect=${tasks}`,
  asks: `v1/campaigns/${c.id}/retries?failure=${id}&expect=${tasks}&dry_run=1`,
  words: [`${plural(tasks, 'failed task')} ${tasks === 1 ? 'runs' : 'run'} again.`, 'Each is a new attempt; others that failed do not run.'],
});

export const RetryOfGroup = ({ of: c, group }: { of: Campaign; group: FailureGroup }) =>
  c.state === 'cancelled' ? null : <Deeds of={c} deeds={() => [retryOfGroup(c, group)]} />;
