// The line above the list that makes it live, and the script that adds new rows.

import { html, type SafeHtml } from '../../base/html/html.ts'
import { styleSheet, scriptBlock } from '../../base/html/style-sheet.ts'
import type { ProfilePage } from '../../profiles/profile-store.ts'
import type { ListQuery } from '../list-query.ts'
import { recordingFormId } from '../pause-page.ts'

interface LiveBarView {
  readonly page: ProfilePage
  readonly query: ListQuery
  readonly profilerPath: string
  /** Whether recording is paused: nothing new is to be expected then. */
  readonly isPaused: boolean
}

/** For a live list its state and a way to stop; for the first page of another one a link that makes it live. Only the newest profiles can be live. */
export function liveBar({ page, query, profilerPath, isPaused }: LiveBarView): SafeHtml | null {
  if (query.problems.length > 0) return null
  const refresh = html`<a class="button" href="${profilerPath}/?${query.address}" data-live-refresh>Refresh</a>`
  if (query.isLive && isPaused)
    return html`<span class="row live-bar"
      ><span class="live-dot" aria-hidden="true"></span> <span role="status">Paused</span> ${refresh}
      <button class="button" form="${recordingFormId}" name="paused" value="no">Resume</button></span
    >`
  if (!query.isLive)
    return query.after === undefined && query.order === 'newest'
      ? html`<a class="button" href="${profilerPath}/?${query.with({ live: '' })}">Go live</a>`
      : null
  return html`<span class="row live-bar" data-live="${profilerPath}/live?${query.with({ from: page.newest })}"
    ><span class="live-dot tone-success" aria-hidden="true"></span>
    <span role="status" data-live-status>Live updates need JavaScript</span>
    <button class="button" type="button" data-live-show hidden></button>
    ${refresh}
    <a class="button" href="${profilerPath}/?${query.with({ live: '0' })}" data-live-stop aria-keyshortcuts="p"
      >Stop updates</a
    >
  </span>`
}

export const liveStyles: SafeHtml = styleSheet(`
.live-bar { gap: var(--space-2) }
.live-bar [role=status] { color: var(--muted); font-size: var(--size-small) }
.live-dot { width: .6rem; height: .6rem; border-radius: 50%; background: var(--line-strong) }
.live-bar[data-state=live] .live-dot { background: var(--tone-edge, currentColor) }
.live-bar[data-state=held] .live-dot { border-radius: 0 }
.profiles .is-new { animation: arrive 2.5s ease-out }
@keyframes arrive { from { background: var(--mark) } }
@media (prefers-reduced-motion: reduce) { .profiles .is-new { animation: none } }
`)

/**
 * Adds new rows while the list is in sight. They wait while a reader points at a row, has moved to one, ticked or selected something,
 * or scrolled down; a button shows them anyway.
 */
export const liveScript: SafeHtml = scriptBlock(`
{
  const maxRows = 200;
  const bar = document.querySelector('[data-live]'), body = document.querySelector('.profiles tbody');
  const find = (name) => bar?.querySelector('[data-live-' + name + ']');
  const status = find('status'), show = find('show');
  let source, address = bar?.dataset.live, matched = '', waiting = [], newCount = 0, unseen = 0, more = false, state = '', trouble = null;

  const isHeld = () => scrollY > 60 || body?.matches(':hover, :focus-within, :has(:checked)') || !getSelection().isCollapsed;
  const say = () => {
    bar.dataset.state = newCount > 0 ? 'held' : trouble === null ? state : 'trouble';
    if (state === 'refused') status.textContent = 'Too many live lists';
    else if (state !== 'live') status.textContent = 'Connecting …';
    else status.textContent = trouble ?? (unseen === 0 ? 'Live' : unseen + (more ? '+' : '') + ' more: refresh');
    show.hidden = newCount === 0;
    show.textContent = 'Show ' + newCount + ' new';
    find('refresh').hidden = state === 'live' && unseen === 0 && trouble === null;
  };
  const insert = (markup) => {
    const rows = document.createElement('template');
    rows.innerHTML = markup;
    for (const row of rows.content.children) row.classList.add('is-new');
    body.prepend(rows.content);
    while (body.rows.length > maxRows) body.rows[maxRows].remove();
  };
  const flush = () => {
    for (const markup of waiting.splice(0)) insert(markup);
    newCount = 0;
    document.querySelector('[data-live-count]').textContent = matched;
    say();
  };
  const settle = () => { if (newCount > 0 && !isHeld()) flush(); };
  const receive = (event) => {
    const data = JSON.parse(event.data);
    address = address.replace(/([?&]from=)[^&]*/, '$1' + encodeURIComponent(event.lastEventId));
    unseen += data.missed;
    more ||= data.more;
    matched = data.matched;
    if (body === null) return location.reload();
    waiting.push(data.profiles);
    newCount += data.count;
    if (waiting.length > maxRows) waiting.shift();
    if (isHeld()) say();
    else flush();
  };
  const close = () => { source?.close(); source = undefined; };
  const open = () => {
    close();
    source = new EventSource(address);
    source.addEventListener('open', () => { state = 'live'; trouble = null; say(); });
    source.addEventListener('profiles', receive);
    source.addEventListener('trouble', (event) => { trouble = JSON.parse(event.data).error; say(); });
    source.addEventListener('error', () => { state = source?.readyState === 2 ? 'refused' : 'connecting'; say(); });
  };

  if (bar) {
    show.addEventListener('click', () => { scrollTo(0, 0); flush(); });
    for (const name of ['mouseleave', 'focusout', 'change']) body?.addEventListener(name, () => setTimeout(settle, 200));
    addEventListener('scroll', settle, { passive: true });
    document.addEventListener('selectionchange', settle);
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target.closest?.('input:not([type=checkbox]), select, textarea') != null;
      if (event.key === 'p' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) find('stop').click();
    });
    document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
    addEventListener('pagehide', close);
    addEventListener('pageshow', (event) => { if (event.persisted) open(); });
    say();
    if (!document.hidden) open();
  }
}
`)
