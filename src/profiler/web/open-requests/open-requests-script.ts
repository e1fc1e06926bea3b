// Renews the list of open requests while somebody looks at it.

import type { SafeHtml } from '../../../framework/html/html.ts'
import { scriptBlock } from '../../../framework/html/style-sheet.ts'

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
      const text = await answer.text(), from = text.indexOf('<section data-open-requests'), to = text.indexOf('<' + '/section>', from);
      if (from < 0 || isPaused) return;
      /* The section only: styles of the other page carry a nonce that is not ours. */
      const next = new DOMParser().parseFromString(text.slice(from, to), 'text/html').querySelector('section');
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
