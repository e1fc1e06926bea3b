// Parts of a page that it asks for again by itself: the bar that says so, and the script that puts the new ones in place of the old.

import { html, type SafeHtml, scriptBlock, styleSheet } from '../base/html/html.ts'

interface RenewedBar {
  /** Of the page, for a link that reads it again without a script. */
  readonly address: string
  /** What tells whether there are new profiles; `null`: the parts may change without them. */
  readonly news: string | null
  /** Cursor of the newest profile that the page knows. Default: the first look reads the parts again. */
  readonly seen?: string | undefined
}

/** Tells whether there are new profiles. */
export function newsOf(profilerPath: string): string {
  return `${profilerPath}/changes.json?newest=1`
}

export function renewedBar({ address, news, seen }: RenewedBar): SafeHtml {
  return html`<span class="row screen-only live-bar" data-news="${news ?? ''}" data-seen="${seen}"
    ><span class="live-dot tone-success" aria-hidden="true"></span>
    <span role="status">Live updates need JavaScript</span>
    <button class="button" type="button" data-show hidden>Show new</button>
    <a class="button" href="${address}">Refresh</a>
    <button class="button" type="button" data-pause aria-keyshortcuts="p" hidden>Pause</button></span
  >`
}

/** One of the parts. None may be inside another. */
export function renewedPart(content: SafeHtml | null, className?: string): SafeHtml {
  return html`<section data-renewed class="${className}">${content}</section>`
}

export const renewedStyles: SafeHtml = styleSheet(`
.live-bar { gap: var(--space-2) }
.live-bar [role=status] { color: var(--muted); font-size: var(--size-small) }
.live-dot { width: .6rem; height: .6rem; border-radius: 50%; background: var(--line-strong) }
.live-bar[data-state=live] .live-dot { background: var(--tone-edge, currentColor) }
.live-bar[data-state=held] .live-dot { border-radius: 0 }
[data-renewed] .is-new { animation: arrive 2.5s ease-out }
@keyframes arrive { from { background: var(--mark) } }
@media (prefers-reduced-motion: reduce) { [data-renewed] .is-new { animation: none } }
`)

/**
 * Looks once a second while the page is in sight. What is new waits while a reader points at a row, has moved to one, ticked or selected
 * something, or scrolled down; a button shows it anyway. Focus and ticks stay where they were. Then the document gets the event `renewed`.
 */
export const renewScript: SafeHtml = scriptBlock(`
{
  const bar = document.querySelector('.live-bar[data-news]');
  const [status, show, refresh, pause] = ['[role=status]', '[data-show]', 'a', '[data-pause]'].map((name) => bar?.querySelector(name));
  let seen = bar?.dataset.seen, isPaused = false;
  const parts = () => [...document.querySelectorAll('[data-renewed]')];
  const controls = (part) => [...part.querySelectorAll('a, button')];
  const isHeld = () => scrollY > 60 || !getSelection().isCollapsed || document.querySelector('[data-renewed] tbody')?.matches(':hover, :focus-within, :has(:checked)');
  const say = (state, text) => {
    bar.dataset.state = state;
    if (status.textContent !== text) status.textContent = text;
    show.hidden = state !== 'held';
    refresh.hidden = state === 'live' || state === 'held';
  };
  const replace = (text) => {
    const known = new Set(parts().flatMap((part) => [...part.querySelectorAll('tr[id]')].map(({ id }) => id)));
    /* The parts only: styles of the other page carry a nonce that is not ours. */
    const found = text.match(/<section data-renewed[^]*?<\\/section>/g) ?? [];
    const next = new DOMParser().parseFromString(found.join(''), 'text/html').querySelectorAll('section');
    for (const [index, part] of parts().entries()) {
      const focused = controls(part).indexOf(document.activeElement), other = next[index];
      if (!other) return;
      const ticked = new Set([...part.querySelectorAll('input:checked')].map(({ value }) => value));
      for (const box of other.querySelectorAll('input')) box.checked = ticked.has(box.value);
      for (const row of other.querySelectorAll('tr[id]')) if (!known.has(row.id)) row.classList.add('is-new');
      part.replaceWith(other);
      if (focused >= 0) controls(other)[focused]?.focus({ preventScroll: true });
    }
    document.dispatchEvent(new Event('renewed'));
  };
  const renew = async (isAsked) => {
    if (document.hidden || (isPaused && !isAsked)) return;
    const { news } = bar.dataset, response = news && await fetch(news), found = news ? await response.json() : {};
    if (found.error) return say('trouble', found.error);
    const { newest, missing } = found;
    if (!news || newest !== seen || isAsked) {
      if (news && seen && !isAsked && isHeld()) return say('held', 'Live');
      const page = await fetch(location.pathname + location.search, { headers: { accept: 'text/html' } });
      if (isPaused && !isAsked) return;
      replace(await page.text());
      seen = newest;
    }
    if (missing) say('trouble', 'Live without ' + missing.parts + ' of ' + missing.of + ' parts of the store');
    else if (!isPaused) say('live', 'Live');
  };
  const turn = async () => {
    /* The application may be away: the next turn asks again. */
    await renew(false).catch(() => say('trouble', 'Connecting …'));
    setTimeout(turn, 1000);
  };
  if (bar) {
    pause.hidden = false;
    pause.addEventListener('click', () => {
      isPaused = !isPaused;
      pause.textContent = isPaused ? 'Resume' : 'Pause';
      if (isPaused) say('paused', 'Paused');
    });
    show.addEventListener('click', () => { scrollTo(0, 0); renew(true).catch(() => {}); });
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target.closest?.('input:not([type=checkbox]), select, textarea') != null;
      if (event.key === 'p' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) pause.click();
    });
    turn();
  }
}
`)
