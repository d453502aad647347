// The page: its head, its bands, and the view that the address names.
import { useEffect, useRef, useState } from 'preact/hooks';
import { signOut, signedOut, asFailure } from './live/api';
import { KEYS } from './live/keys';
import { campaignId, go, href, isEmbedded, params, view } from './live/router';
import { signInMessage } from './live/session';
import { rest } from './live/rest';
import { hasKeys, theme, THEMES } from './live/settings';
import { hasStream } from './live/doorbell';
import { age, coarseNow, failure, freeze, frozenAt, isOld, root, summary, thaw } from './live/summary';
import { FailureNotice, Loading, Notice } from './parts/broken';
import { duration, oneLine, percent } from './parts/format';
import { Command, Since, Time } from './parts/text';
import { endWords, isLive } from './parts/words';
import { CampaignView } from './views/campaign';
import { Fix } from './views/fix';
import { Grid } from './views/grid';
import { filter, Mine } from './views/mine';
import { Order } from './views/order';
import { Tasks } from './views/tasks';
import { Use } from './views/use';
import { Why } from './views/why';

function Search() {
  const submit = (event: Event) => {
    event.preventDefault();
    const word = filter.value.trim();
    if (!/^\d+$/.test(word)) {
      document.querySelector<HTMLElement>('main [data-row]')?.focus();
      return;
    }
    filter.value = '';
    go({ view: 'campaign', id: word });
  };
  return (
    <form role="search" onSubmit={submit}>
      <label class="sr" for="search">Number, name or user of a campaign</label>
      <input
        id="search"
        type="search"
        placeholder="/ search"
        autocomplete="off"
        value={filter.value}
        onInput={(event) => {
          filter.value = event.currentTarget.value;
          if (filter.value && view.value !== 'mine' && !/^\d+$/.test(filter.value)) go({ view: 'mine', user: 'all' }, { focus: false });
        }}
      />
    </form>
  );
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" id="help" aria-label="keys and help" onClick={() => dialog.current?.showModal()}>?</button>
      <dialog ref={dialog} aria-labelledby="help-title">
        <h2 id="help-title">Keys</h2>
        <table>
          <tbody>
            {KEYS.map(([key, does]) => (
              <tr key={key}>
                <th scope="row"><kbd>{key}</kbd></th>
                <td>{does}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          <label>
            <input type="checkbox" checked={hasKeys.value} onChange={(event) => (hasKeys.value = event.currentTarget.checked)} /> use these keys
          </label>
        </p>
        <p>Each view names the commands that say the same, or that do more. Times are local; UTC is in their titles.</p>
        <p>{root.value ? <>Gleaner {oneLine(root.value.version)}</> : null}</p>
        <button type="button" autofocus onClick={() => dialog.current?.close()}>close</button>
      </dialog>
    </>
  );
}

function Who() {
  const [message, setMessage] = useState('');
  if (!root.value || signedOut.value) return null;
  const leave = () => signOut().then(() => location.reload()).catch((error: unknown) => setMessage(asFailure(error).message));
  return (
    <span class="who">
      {oneLine(root.value.user)}
      {root.value.administrator ? <span class="faint"> (administrator)</span> : null}{' '}
      {root.value.session ? <button type="button" onClick={() => void leave()}>sign out</button> : null} {message}
    </span>
  );
}

function Health() {
  const s = summary.value;
  if (!s) return null;
  const isSick = s.standstill !== null;
  return (
    <span class={`health${isSick ? ' bad' : ''}`}>
      {isSick ? 'grid stands still' : s.last_cycle ? <>cycle <Since at={s.last_cycle} /> ago</> : 'no cycle yet'}
      {hasStream.value || frozenAt.value !== null ? '' : ' · asked every 10 s'}{' '}
      <button type="button" id="freeze" aria-label="freeze the page" aria-pressed={frozenAt.value !== null} title={frozenAt.value === null ? 'freeze: what you look at stays as it is' : 'go on'} onClick={() => (frozenAt.peek() === null ? freeze() : thaw())}>
        <svg width="10" height="10" viewBox="0 0 10 10" fill="currentColor" aria-hidden="true"><path d={frozenAt.value === null ? 'M1 0h3v10H1zM6 0h3v10H6z' : 'M1 0l9 5-9 5z'} /></svg>
      </button>
    </span>
  );
}

function Header() {
  const current = view.value;
  const link = (name: string, title: string) => (
    <a href={href({ view: name })} aria-current={current === name && campaignId.value === null ? 'page' : undefined}>{title}</a>
  );
  return (
    <header>
      <a class="skip" href="#main">to the content</a>
      <nav aria-label="Views">
        <b class="brand">Gleaner</b>
        {link('mine', 'Mine')}
        {link('fix', 'To fix')}
        {link('grid', 'Grid')}
        {link('use', 'Use')}
        {link('order', 'Order')}
        {link('whatif', 'What if')}
        {link('shares', 'Shares')}
        {link('conductor', 'Conductor')}
      </nav>
      <Search />
      <Health />
      <Who />
      <label class="theme">
        <span class="sr">theme</span>
        <select value={theme.value} onChange={(event) => (theme.value = THEMES.find((one) => one === event.currentTarget.value) ?? 'system')}>
          {THEMES.map((one) => (
            <option key={one} value={one}>{one}</option>
          ))}
        </select>
      </label>
      <Help />
    </header>
  );
}

/** The address of this view outside of another site's page. */
const alone = (): string => href(Object.fromEntries(Object.entries(params.value).map(([key, value]) => [key, key === 'embed' ? '' : value])), false);

function Bands() {
  const s = summary.value;
  return (
    <div role="status">
      {signInMessage.value ? <Notice kind="bad">{signInMessage.value}</Notice> : null}
      {signedOut.value && isEmbedded ? (
        <Notice kind="warn">
          Signed out. Browsers send no session to a page within another site's: only the login of the web server counts here, so load this page again. Or{' '}
          <a href={alone()} target="_blank" rel="noopener">open it by itself</a>, where a link of <code>gridstat --web</code> counts, too.
        </Notice>
      ) : signedOut.value && !signInMessage.value ? (
        <Notice kind="warn">
          Signed out: run <Command text="gridstat --web" /> and follow the link that it prints. Where a web server logs you in, load the page again.
          {s ? ' What is shown is from before.' : ''}
        </Notice>
      ) : null}
      {s?.standstill ? (
        <Notice kind="bad">
          Nobody conducts the grid: no cycle has ended since <Time at={s.standstill} />. Nothing is sent, and there are no forecasts.
          Administrators: <Command text="gridctl check" />
        </Notice>
      ) : null}
      {frozenAt.value !== null ? <Notice kind="warn">Frozen at <Time at={frozenAt.value} />: what is shown stays as it is until you go on, or act.</Notice> : null}
      {s && failure.value && failure.value.status !== 401 ? <FailureNotice failure={failure.value} /> : null}
    </div>
  );
}

function View() {
  const id = campaignId.value;
  switch (view.value) {
    case 'grid': return <Grid />;
    case 'use': return <Use />;
    case 'order': return <Order />;
    case 'whatif': return rest.value ? <rest.value.WhatIf /> : <Loading what="the view" />;
    case 'shares': return rest.value ? <rest.value.SharesView /> : <Loading what="the view" />;
    case 'conductor': return rest.value ? <rest.value.Conductor /> : <Loading what="the view" />;
    case 'fix': return <Fix key={id} id={id} />;
    case 'campaign': if (id !== null) return <CampaignView key={id} id={id} />; break;
    case 'why': if (id !== null) return <Why key={id} id={id} />; break;
    case 'tasks': if (id !== null) return <Tasks key={id} id={id} />; break;
  }
  return <Mine />;
}

/** `61 % · 15:20`: of the campaign that is shown, or of all of mine that are under way. */
function useTitle(): void {
  const id = campaignId.value;
  const live = (summary.value?.campaigns ?? []).filter((c) => (id === null ? isLive(c.state) : c.id === id));
  const total = live.reduce((sum, c) => sum + c.total_tasks, 0);
  const last = live.filter((c) => isLive(c.state) && c.forecast_end).sort((a, b) => (a.forecast_end! < b.forecast_end! ? 1 : -1))[0];
  const end = last ? endWords(last, coarseNow.value) : null;
  const figures = live.length > 0 ? `${percent(live.reduce((sum, c) => sum + c.tasks.done, 0), total)}${end ? ` · ${end.title}` : ''} · ` : '';
  const title = `${frozenAt.value === null ? '' : 'frozen · '}${view.value === 'grid' ? 'Grid · ' : view.value === 'use' ? 'Use · ' : view.value === 'order' ? 'Order · ' : view.value === 'whatif' ? 'What if · ' : figures}${id === null ? '' : `${oneLine(live[0]?.name ?? String(id))} · `}Gleaner`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

export function App() {
  useTitle();
  void params.value;
  return (
    <>
      {isEmbedded ? null : <Header />}
      <Bands />
      {/* Not in the live region, which would speak every second. */}
      {isOld.value && age.value !== null ? <Notice kind="warn">The figures are {duration(age.value / 1000)} old.</Notice> : null}
      <main id="main" class={isOld.value || signedOut.value ? 'old' : ''}>
        <View />
      </main>
    </>
  );
}
