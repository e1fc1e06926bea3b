// Brings the open panel's name into view where the menu is a row that scrolls sideways.

import type { SafeHtml } from '../../framework/html/html.ts'
import { scriptBlock } from '../../framework/html/style-sheet.ts'

/** Runs when the body is there; moves the menu only, never the page. */
export const menuScript: SafeHtml = scriptBlock(`
{
  const menu = document.querySelector('.menu'), open = menu?.querySelector('[aria-current=page]');
  if (open && menu.scrollWidth > menu.clientWidth) menu.scrollLeft = open.offsetLeft - (menu.clientWidth - open.offsetWidth) / 2;
}
`)
