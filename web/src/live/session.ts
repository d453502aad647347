// The sign-in: a link with a one-time code in its fragment, which no log of a proxy has.
import { signal } from '@preact/signals';
import { asFailure, signIn, signedOut } from './api';
import { startAgain } from './summary';

/** null: no link was followed, or it was good. */
export const signInMessage = signal<string | null>(null);

/** The code, which leaves the address, and so the history, at once. */
export function takeCode(): string | null {
  const match = /^#code=([^&]+)/.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    return decodeURIComponent(match[1]!);
  } catch {
    return match[1]!;
  }
}

export async function exchange(code: string): Promise<void> {
  try {
    await signIn(code);
    signInMessage.value = null;
    signedOut.value = false;
  } catch (error) {
    const { status, message } = asFailure(error);
    signInMessage.value = [400, 401, 404, 410].includes(status)
      ? 'The link is used, or older than 60 s. Run gridstat --web again, and follow its new link.'
      : `The sign-in failed: ${message}.`;
  }
}

export function followNewCodes(): void {
  addEventListener('hashchange', () => {
    const code = takeCode();
    if (code) void exchange(code).then(startAgain);
  });
}
