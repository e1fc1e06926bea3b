// Renews the list of open requests while somebody looks at it.

import type { SafeHtml } from '../../html/html.ts'
import { scriptBlock } from '../../html/style-sheet.ts'

/** Asks for the page again every two seconds, and puts the new list in place of the old one; focus stays where it was. */
export const openRequestsScript: SafeHtml = scriptBlock(`
{
  let section = document.querySelector('[data-open-requests]'), isPaused = false;
  const place = () => section.contains(document.activeElement) && [...section.querySelectorAll('a, button')].indexOf(document.activeElement);
  const button = () => {
    const pause = section.querySelector('[data-open-pause]');
    pause.hidden = false;
    pause.textContent = isPaused ? 'Go on' : 'Pause';
    pause.addEventListener('click', () => { isPaused = !isPaused; pause.textContent = isPaused ? 'Go on' : 'Pause'; });
  };
  const renew = async () => {
    if (isPaused || document.hidden) return;
    try {
      const answer = await fetch(location.pathname, { headers: { accept: 'text/html' } });
      const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-open-requests]');
      if (next === null || isPaused) return;
      const focused = place();
      section.replaceWith(next);
      section = next;
      button();
      if (focused !== false) section.querySelectorAll('a, button')[focused]?.focus({ preventScroll: true });
    } catch { /* The application is away: the next turn asks again. */ }
  };
  if (section) { button(); setInterval(renew, 2000); }
}
`)
