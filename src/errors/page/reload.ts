// Reloads the error page when the source of its error changes, or only with the process where nothing was recorded. Needs the script and the
// profiler.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { scriptBlock, styleSheet } from '../../framework/html/style-sheet.ts'
import type { ErrorView } from '../error-view.ts'

/** Says that the page reloads itself, with a way to stop that. Only for requests that change nothing. */
export function reloadNote({ method, token }: ErrorView, profilerPath: string | null): SafeHtml | null {
  if (profilerPath === null || (method !== 'GET' && method !== 'HEAD')) return null
  const changes = `${profilerPath}/changes${token === null ? '' : `?token=${token}`}`
  return html`<p class="reload small muted screen-only" data-changes="${changes}" hidden>
    <span role="status"></span> <button type="button"></button>
  </p>`
}

/**
 * Asks every second while the page can be seen. A change counts when three responses agree on it: until then the server may be about to
 * restart. A profile that is gone counts as a change, because a restart loses profiles in memory. Never asks again after a refusal.
 */
export const reloadScript: SafeHtml = scriptBlock(`
(() => {
  const note = document.querySelector('[data-changes]');
  if (!note) return;
  const [text, button] = note.children;
  const key = 'fanlight-reload';
  const stored = () => { try { return sessionStorage.getItem(key) } catch { return null } };
  const keep = (value) => { try { sessionStorage.setItem(key, value) } catch {} };
  let known, last, agreed = 0, misses = 0, timer;
  const ask = async () => {
    let stamp;
    if (!document.hidden) {
      try {
        const response = await fetch(note.dataset.changes, { cache: 'no-store' });
        if (response.ok) stamp = (await response.json()).stamp;
        else if (response.status === 404) stamp = 'gone';
        else if (response.status < 500) { note.hidden = true; return }
      } catch {}
      agreed = stamp !== undefined && stamp === last ? agreed + 1 : 0;
      last = stamp;
      if (known === undefined && stamp !== 'gone') known = stamp;
      if (known === undefined && ++misses > 9) { note.hidden = true; return }
      if (known !== undefined && stamp !== known && agreed > 1) { location.reload(); return }
    }
    timer = setTimeout(ask, known !== undefined && last !== known ? 400 : 1000);
  };
  const show = (isOn) => {
    const cause = note.dataset.changes.includes('?') ? 'the source changes' : 'the application starts again';
    text.textContent = isOn ? 'Reloads when ' + cause + ' ·' : 'Does not reload ·';
    button.textContent = isOn ? 'Stop' : 'Start';
    clearTimeout(timer);
    if (isOn) ask();
  };
  button.addEventListener('click', () => {
    const isOn = stored() === 'off';
    keep(isOn ? 'on' : 'off');
    show(isOn);
  });
  note.hidden = false;
  show(stored() !== 'off');
})();
`)

/** Comes after `themeStyles`. */
export const reloadStyles: SafeHtml = styleSheet(`
.reload button { min-height: 1.5rem; padding: 0 .2em; border: 0; background: none; color: var(--link); font: inherit; text-decoration: underline; cursor: pointer }
`)
