// Requests to the API, relative to the page: ui/ is beside v1/, below any prefix.
import { signal } from '@preact/signals';

export interface Failure {
  status: number; // 0: no answer
  code: string;
  message: string;
  problems?: string[]; // places of a campaign file
}

export class ApiError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** Somebody must sign in again; what is shown stays. */
export const signedOut = signal(false);
/** The server's clock minus ours, ms: durations do not depend on the clock of the desk. */
export const clockOffset = signal(0);

export const serverNow = (): number => Date.now() + clockOffset.value;

function noteClock(answer: Response): void {
  const date = Date.parse(answer.headers.get('Date') ?? '');
  if (Number.isNaN(date)) return;
  const offset = date - Date.now();
  if (Math.abs(offset - clockOffset.peek()) > 2000) clockOffset.value = Math.abs(offset) < 2000 ? 0 : offset;
}

const placeOf = ({ line, path, message }: { line: number; path: string; message: string }): string =>
  `${line > 0 ? `line ${line}: ` : ''}${path ? `${path}: ` : ''}${message}`;

async function failureOf(answer: Response): Promise<Failure> {
  const failure: Failure = { status: answer.status, code: '', message: `${answer.status} ${answer.statusText}` };
  try {
    const body: unknown = await answer.json();
    if (body && typeof body === 'object') {
      const { code, message, problems } = body as { code?: unknown; message?: unknown; problems?: unknown };
      if (Array.isArray(problems)) failure.problems = problems.map(placeOf);
      if (typeof code === 'string') failure.code = code;
      if (typeof message === 'string') failure.message = message;
    }
  } catch {
    // The answer of a proxy has no JSON.
  }
  return failure;
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    // The API leads nowhere else: who does is a web server whose login is over.
    answer = await fetch(`../${path}`, { credentials: 'same-origin', redirect: 'manual', ...options });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError({ status: 0, code: 'no_answer', message: 'the server does not answer' });
  }
  if (answer.type === 'opaqueredirect') {
    signedOut.value = true;
    throw new ApiError({ status: 401, code: 'login_over', message: 'the login of the web server is over' });
  }
  noteClock(answer);
  return answer;
}

export async function getText(path: string, abort?: AbortSignal): Promise<string> {
  // The browser's cache asks with the ETag: an answer that has not changed costs no bytes.
  const answer = await ask(path, { cache: 'no-cache', headers: { Accept: 'application/json' }, signal: abort ?? null });
  if (answer.status === 401) signedOut.value = true;
  if (!answer.ok) throw new ApiError(await failureOf(answer));
  signedOut.value = false;
  return answer.text();
}

export const get = async <T>(path: string, abort?: AbortSignal): Promise<T> => JSON.parse(await getText(path, abort)) as T;

interface Accepted {
  message?: string;
  links?: { rel: string; href: string }[];
}

export type Method = 'POST' | 'PUT' | 'DELETE';
export type Body = Record<string, string>;

/** Asks for a change. Of many tasks, an answer may name the request for the rest (griddel asks on, too). Returns the last answer's message. */
export async function act(method: Method, path: string, body?: Body): Promise<string> {
  const options: RequestInit = { method, headers: { Accept: 'application/json', ...(body ? { 'Content-Type': 'application/json' } : {}) }, body: body ? JSON.stringify(body) : null };
  for (let next: string | null = path; ; ) {
    const answer = await ask(next, options);
    if (answer.status === 401) signedOut.value = true;
    if (!answer.ok) throw new ApiError(await failureOf(answer));
    const { message = '', links = [] } = (await answer.json()) as Accepted;
    const rest = links.find(({ rel }) => rel === 'next');
    if (!rest) return message;
    // Its place alone is taken, so that the page stays below its own prefix.
    const place: URL = new URL(rest.href, 'http://api');
    next = place.pathname.slice(1) + place.search;
  }
}

/** A question that a POST asks, as it is too long for an address. It changes nothing. */
export async function question<T>(path: string, body: unknown, abort?: AbortSignal): Promise<T> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const answer = await ask(path, { method: 'POST', headers, body: JSON.stringify(body), signal: abort ?? null });
  if (answer.status === 401) signedOut.value = true;
  if (!answer.ok) throw new ApiError(await failureOf(answer));
  return (await answer.json()) as T;
}

export async function signIn(code: string): Promise<void> {
  const answer = await ask('session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!answer.ok) throw new ApiError(await failureOf(answer));
}

export async function signOut(): Promise<void> {
  const answer = await ask('session', { method: 'DELETE', headers: { Accept: 'application/json' } });
  if (!answer.ok && answer.status !== 401 && answer.status !== 404) throw new ApiError(await failureOf(answer));
  signedOut.value = true;
}

export const asFailure = (error: unknown): Failure =>
  error instanceof ApiError ? error.failure : { status: 0, code: 'page', message: String(error) };
