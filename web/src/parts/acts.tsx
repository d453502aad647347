// What the user may do with a campaign: each act asks first, and says in numbers what will happen. The server decides, and its answer is
// what is shown.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, act, asFailure, type Body, type Method } from '../live/api';
import { bell, ring, root, thaw } from '../live/summary';
import type { Campaign, FailureGroup } from '../types';
import { count, oneLine, plural } from './format';
import { isLive } from './words';

const MANY = 10000; // tasks; whoever cancels more types the name

export interface Deed {
  label: string;
  words: string[];
  method: Method;
  path: string;
  body?: Body;
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

export type Said = (words: string, isGood: boolean) => void;

/** Says in numbers what the deed would do, and does it when that is wanted. */
export function Asked({ of, name, close, said }: { of: Deed; name: string; close: () => void; said: Said }) {
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const isReady = !isBusy && !isRefused && (!of.named || typed === name);
  const isAsked = useRef(false); // at once, while the button is drawn again only later
  const [told, setTold] = useState<string | null>(null);
  useEffect(() => {
    if (!of.asks) return;
    let isOver = false;
    act(of.method, of.asks, of.body).then((words) => isOver || setTold(words), (error: unknown) => {
      if (isOver) return;
      const { status, message } = asFailure(error);
      const isRight = status < 400 || status >= 500; // else the act would be refused, too
      setRefused(!isRight);
      setTold(isRight ? `What it would do is not known now: ${message}` : message);
    });
    return () => {
      isOver = true;
    };
  }, [of.asks]);
  const go = async () => {
    if (isAsked.current) return;
    isAsked.current = true;
    setBusy(true);
    try {
      said(await act(of.method, of.path, of.body), true);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      said(asFailure(error).message, false);
    }
    bell.value = bell.peek() + 1; // what a view has read besides the summary
    thaw();
    ring();
    close();
  };
  return (
    <>
      {told ? <p role="status" class={isRefused ? 'bad' : ''}>{oneLine(told)}.</p> : null}
      {(isRefused ? [] : told ? of.words.slice(1) : of.words).map((words) => (
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

function Act({ of, name, said }: { of: Deed; name: string; said: Said }) {
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

/** Buttons, and the server's answer to the last of them. */
function Buttons({ name, deeds, more }: { name: string; deeds: Deed[]; more?: ((said: Said) => ComponentChildren) | undefined }) {
  const [answer, setAnswer] = useState<{ words: string; isGood: boolean } | null>(null);
  const said: Said = (words, isGood) => setAnswer({ words, isGood });
  return (
    <div class="acts">
      {more?.(said)}
      {deeds.map((deed) => (
        <Act key={deed.label} of={deed} name={name} said={said} />
      ))}
      <span role="status" class={answer && !answer.isGood ? 'bad' : ''}>{answer ? oneLine(answer.words) : ''}</span>
    </div>
  );
}

/** Buttons for these deeds; nothing for whoever may not act. */
function Deeds({ of: c, deeds }: { of: Campaign; deeds: (isMine: boolean) => Deed[] }) {
  const isMine = root.value?.user === c.user;
  return isMine || root.value?.administrator ? <Buttons name={c.name} deeds={deeds(isMine)} /> : null;
}

/** Buttons for deeds of administrators, about something of the grid. more: further ones, which say what became of them. */
export const AdminActs = (of: { name: string; deeds: Deed[]; more?: ((said: Said) => ComponentChildren) | undefined }) => (root.value?.administrator ? <Buttons {...of} /> : null);

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
