// Notices in place of a missing answer, each with its next step.
import type { ComponentChildren } from 'preact';
import type { Failure } from '../live/api';
import { visible } from './format';
import { Command } from './text';

export function Notice({ kind = 'info', children }: { kind?: 'info' | 'warn' | 'bad'; children: ComponentChildren }) {
  return <div class={`notice ${kind}`}>{children}</div>;
}

export function FailureNotice({ failure }: { failure: Failure }) {
  const { status } = failure;
  const words = <>{visible(failure.message)}</>;
  if (status === 401)
    // The band above has the command.
    return <p class="faint">Nothing is shown until you sign in.</p>;
  if (status === 403) return <Notice kind="warn">Not allowed: {words}. Its user and administrators may see it.</Notice>;
  if (status === 404 || status === 410)
    return (
      <Notice kind="warn">
        Not found: {words}. It may have been pruned, or purged by its user. <Command text="gridstat --all" does="lists what is still kept" />
      </Notice>
    );
  if (status === 503)
    return (
      <Notice kind="bad">
        {failure.code === 'busy' ? 'The server is busy' : 'The database is away'}: {words}. The page asks again by itself; administrators:{' '}
        <Command text="gridctl check" />
      </Notice>
    );
  if (status === 0) return <Notice kind="bad">No answer: {words}. The page asks again by itself.</Notice>;
  return <Notice kind="bad">The server answered {status}: {words}.</Notice>;
}

/** Reads well while nothing is there yet. */
export const Loading = ({ what }: { what: string }) => <p class="faint" aria-busy="true">Reading {what} …</p>;

export function Waiting<T>({ of, what }: { of: { data: T | null; failure: Failure | null }; what: string }) {
  if (of.failure) return <FailureNotice failure={of.failure} />;
  return of.data === null ? <Loading what={what} /> : null;
}
