// The line above the list that makes it live, and the script that adds new rows.

import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet, scriptBlock } from '../../../framework/html/style-sheet.ts'
import type { ProfilePage } from '../../profile-store.ts'
import type { ListQuery } from '../list-query.ts'

interface LiveBarView {
  readonly page: ProfilePage
  readonly query: ListQuery
  readonly profilerPath: string
}

/** A link to the live list; on it the state, the buttons and the way back. Only the newest profiles can be live. */
export function liveBar({ page, query, profilerPath }: LiveBarView): SafeHtml | null {
  if (query.problems.length > 0) return null
  const quiet = `${profilerPath}/?${query.with({})}`
  const live = `${profilerPath}/?${query.with({ live: '1' })}`
  if (!query.isLive || query.after !== undefined)
    return html`<p class="row live-bar screen-only">
      <a class="button" href="${live}">Watch live</a> <a class="button" href="${quiet}">Refresh</a>
    </p>`
  return html`<div
    class="row live-bar screen-only"
    data-live="${profilerPath}/live?${query.with({ from: page.newest })}"
  >
    <span class="live-dot tone-success" aria-hidden="true"></span>
    <span role="status" data-live-status>Live updates need JavaScript. Refresh to see new profiles.</span>
    <button class="button" type="button" data-live-pause aria-keyshortcuts="p" title="P" hidden>Pause</button>
    <a class="button" href="${live}">Refresh</a> <a class="button" href="${quiet}">Stop</a>
  </div>`
}

export const liveStyles: SafeHtml = styleSheet(`
.live-bar { gap: var(--space-2) }
.live-bar [role=status] { color: var(--muted); font-size: var(--size-small); min-width: 11rem }
.live-dot { width: .6rem; height: .6rem; border-radius: 50%; background: var(--line) }
.live-bar[data-state=live] .live-dot { background: var(--tone-edge, currentColor) }
.live-bar[data-state=paused] .live-dot { border-radius: 0 }
.profiles .is-new { animation: arrive 2.5s ease-out }
@keyframes arrive { from { background: var(--raised) } }
@media (prefers-reduced-motion: reduce) { .profiles .is-new { animation: none } }
`)

export const liveScript: SafeHtml = scriptBlock(`
{
  const maxRows = 200;
  const bar = document.querySelector('[data-live]'), body = document.querySelector('.profiles tbody');
  const status = bar?.querySelector('[data-live-status]'), button = bar?.querySelector('[data-live-pause]');
  let source, address = bar?.dataset.live, paused = false, waiting = [], waitingCount = 0, unseen = 0, more = false, state = '';

  const say = () => {
    bar.dataset.state = paused ? 'paused' : state;
    const lost = unseen === 0 ? '' : ' ' + unseen + (more ? '+' : '') + ' more arrived; refresh to load them.';
    if (paused) status.textContent = 'Paused, ' + waitingCount + ' waiting.' + lost;
    else if (state === 'live') status.textContent = 'Live: new profiles appear here.' + lost;
    else if (state === 'refused') status.textContent = 'Too many live lists are open. Refresh instead.';
    else if (state !== 'trouble') status.textContent = 'Connecting …';
    button.textContent = paused ? (waitingCount > 0 ? 'Show ' + waitingCount + ' and resume' : 'Resume') : 'Pause';
  };
  const drawBars = () => {
    const rows = [...body.rows], longest = Math.max(...rows.map((row) => Number(row.dataset.ms)));
    for (const row of rows) {
      const bar = row.querySelector('.duration-bar rect:last-child');
      if (longest > 0) bar?.setAttribute('width', Math.max(1, (Number(row.dataset.ms) / longest) * 100).toFixed(1));
    }
  };
  const insert = (markup) => {
    const rows = document.createElement('template');
    rows.innerHTML = markup;
    for (const row of rows.content.children) row.classList.add('is-new');
    body.prepend(rows.content);
    while (body.rows.length > maxRows) body.rows[maxRows].remove();
    drawBars();
  };
  const receive = (event) => {
    const data = JSON.parse(event.data);
    address = address.replace(/([?&]from=)[^&]*/, '$1' + encodeURIComponent(event.lastEventId));
    unseen += data.missed;
    more ||= data.more;
    if (body === null) return location.reload();
    if (!paused) insert(data.profiles);
    else {
      waiting.push(data.profiles);
      waitingCount += data.count;
      if (waiting.length > maxRows) waiting.shift();
    }
    say();
  };
  const close = () => { source?.close(); source = undefined; };
  const open = () => {
    close();
    source = new EventSource(address);
    source.addEventListener('open', () => { state = 'live'; say(); });
    source.addEventListener('profiles', receive);
    source.addEventListener('trouble', (event) => { state = 'trouble'; status.textContent = JSON.parse(event.data).error; say(); });
    source.addEventListener('error', () => { state = source?.readyState === 2 ? 'refused' : 'connecting'; say(); });
  };
  const toggle = () => {
    paused = !paused;
    if (!paused) {
      for (const markup of waiting) insert(markup);
      waiting = [];
      waitingCount = 0;
    }
    say();
  };

  if (bar) {
    button.hidden = false;
    button.addEventListener('click', toggle);
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target.closest?.('input, select, textarea') != null;
      if (event.key === 'p' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) toggle();
    });
    document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
    addEventListener('pagehide', close);
    say();
    if (!document.hidden) open();
  }
}
`)
