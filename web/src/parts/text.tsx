// Times, sentences of the API and commands.
import { useRef, useState } from 'preact/hooks';
import { coarseNow, now } from '../live/summary';
import { duration, minuteTime, nearTime, parseTime, splitTimes, utcText, visible } from './format';

export function Time({ at, minute }: { at: string | number | null; minute?: boolean }) {
  const ms = typeof at === 'number' ? at : parseTime(at);
  if (ms === null) return <>-</>;
  const utc = utcText(ms);
  return (
    <time dateTime={new Date(ms).toISOString()} title={utc}>
      {minute ? minuteTime(ms, coarseNow.value) : nearTime(ms, coarseNow.value)}
    </time>
  );
}

/** `5 min 30 s`, with the time in the title. */
export function Since({ at }: { at: string | null }) {
  const ms = parseTime(at);
  if (ms === null) return null;
  // Seconds are shown below an hour only.
  const time = coarseNow.peek() - ms < 3500e3 ? now.value : coarseNow.value;
  return <time dateTime={new Date(ms).toISOString()} title={utcText(ms)}>{duration((time - ms) / 1000)}</time>;
}

/** A sentence of the API, its times in local time. */
export function Sentence({ text }: { text: string }) {
  return <>{splitTimes(visible(text)).map((part) => (typeof part === 'number' ? <Time at={part} /> : part))}</>;
}

function selectText(of: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(of);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** A command that says or does the same as the page, ready to be copied. */
export function Command({ text, does }: { text: string; does?: string }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    let is = 'copied';
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // On plain http there is no clipboard: the text is selected, and older browsers copy it then.
      if (code.current) selectText(code.current);
      is = document.execCommand('copy') ? 'copied' : 'selected: press Ctrl+C';
    }
    setSaid(is);
    setTimeout(() => setSaid(''), 3000);
  };
  return (
    <span class="command">
      <code ref={code}>{text}</code>
      <button type="button" onClick={() => void copy()} aria-label={`copy ${text}`} title={does ?? 'copy'}>
        {said || 'copy'}
      </button>
      {does ? <span class="does">{does}</span> : null}
      <span class="sr" role="status">{said}</span>
    </span>
  );
}

export function Commands({ list }: { list: [string, string][] }) {
  return (
    <aside class="commands" aria-label="Commands">
      {list.map(([text, does]) => (
        <Command key={text} text={text} does={does} />
      ))}
    </aside>
  );
}
