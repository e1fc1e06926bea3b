// A value of a variable, wherever else it was: a click, or Enter on it, lights up all equal ones. The same again, or Escape, ends that.

import { scriptBlock } from '../../base/html/style-sheet.ts'
import type { SafeHtml } from '../../base/html/html.ts'

/** Short words and numbers are equal by chance. */
export const followScript: SafeHtml = scriptBlock(`
{
  const all = Map.groupBy(document.querySelectorAll('code.seen'), (one) => one.textContent);
  let followed;
  const follow = (text) => {
    followed = text === followed ? undefined : text;
    for (const [other, alike] of all) for (const one of alike) {
      if (one.ariaPressed !== null) one.ariaPressed = String(other === followed);
      if (other === followed) one.closest('details').open = true;
    }
  };
  for (const [text, alike] of all) {
    if (alike.length < 2 || text.length < 3 || /^(?:true|false|null|undefined|NaN|-?\\d{1,2}|\\[.*[^"'}\\]]\\])$/.test(text)) continue;
    for (const one of alike) {
      Object.assign(one, { role: 'button', tabIndex: 0, ariaPressed: 'false', onclick: () => follow(text) });
      one.onkeydown = (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); follow(text); } };
    }
  }
  addEventListener('keydown', (event) => { if (event.key === 'Escape' && followed !== undefined) follow(followed); });
}
`)
