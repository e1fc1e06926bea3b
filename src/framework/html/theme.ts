// The look of every page of the library. Tokens are custom properties, pieces are classes:
//
//   page             centred column                     band tone-<tone>    the verdict across the page, white on the tone
//   section          part of a page with an h2          section-head        its heading in a row with badges and buttons
//   card             surface with a border              row, spread         things in a line, wrapping; apart
//   badge tone-<t>   short mark; badge-solid is loud    note tone-<tone>    a sentence with a coloured edge
//   tabs > a.tab     [aria-current] is the open one     table               rows; td.number right; tr.tone-<t> coloured edge
//   facts            table of names and values          table-scroll        around a table too wide for a phone
//   empty            sentence of an empty section       fold                <details> with a quiet arrow
//   button           link or button; in a band white    field               input, select
//   source > li      code, `at` the line in question    block               text kept as it is
//   verbatim         inline text kept as it came         long-text          a frame to scroll in (give it tabindex="0")
//   mono muted small nowrap number                      visually-hidden, skip-link, screen-only (not printed)
//
// Tones: neutral, info, success, warning, error. A tone sets --tone-band, --tone-ink, --tone-soft and --tone-edge.

import type { SafeHtml } from './html.ts'
import { scriptBlock } from './style-sheet.ts'
import { trusted } from './html.ts'
import { baseStyles } from './theme/base.ts'
import { pieceStyles } from './theme/pieces.ts'
import { printStyles } from './theme/print.ts'
import { sourceStyles } from './theme/source.ts'
import { tokenStyles } from './theme/tokens.ts'

/** The whole theme. A page's own styles come after it. */
export const themeStyles: SafeHtml = trusted(
  [tokenStyles, baseStyles, pieceStyles, sourceStyles, printStyles].join('\n'),
)

/**
 * Applies the reader's choice of light or dark before the first paint, and lets a `<button data-theme-switch hidden>`
 * change it; the button stays hidden without a script, because then the system decides. For the head of a page.
 */
export const themeScript: SafeHtml = scriptBlock(`
(() => {
  const root = document.documentElement, key = 'fanlight-theme';
  const stored = () => { try { return localStorage.getItem(key) } catch { return null } };
  const keep = (theme) => { try { localStorage.setItem(key, theme) } catch {} };
  const theme = stored();
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const label = (button) => { button.textContent = isDark() ? 'Light' : 'Dark'; button.setAttribute('aria-label', (isDark() ? 'Light' : 'Dark') + ' colours'); };
  addEventListener('DOMContentLoaded', () => {
    for (const button of document.querySelectorAll('[data-theme-switch]')) {
      button.hidden = false;
      label(button);
      button.addEventListener('click', () => { root.dataset.theme = isDark() ? 'light' : 'dark'; keep(root.dataset.theme); label(button); });
    }
  });
})();
`)
