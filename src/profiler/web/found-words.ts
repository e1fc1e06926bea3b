// The words of a search go along to the profile: the panel that has them opens, and they are marked in it.

import type { SafeHtml } from '../../framework/html/html.ts'
import { scriptBlock, styleSheet } from '../../framework/html/style-sheet.ts'
import type { Profile } from '../profile.ts'

/** Panels in the order in which a reader would look. */
const searched = ['exception', 'logger', 'database', 'http-client', 'dump', 'request'] as const

/** The first panel whose data has the words, which its address would have shown; `undefined` for none, or for no words. */
export function panelWith(words: string, { data, url }: Profile): string | undefined {
  const wanted = words.toLowerCase()
  if (wanted === '' || url.toLowerCase().includes(wanted)) return undefined
  return searched.find((name) => hasWords(data[name], wanted))
}

/** Whether a text of the data has the words, in lower case. */
function hasWords(data: unknown, wanted: string): boolean {
  if (typeof data === 'string') return data.toLowerCase().includes(wanted)
  return typeof data === 'object' && data !== null && Object.values(data).some((value) => hasWords(value, wanted))
}

/** Marks the words without a change of the page. */
export const foundScript: SafeHtml = scriptBlock(`
{
  const list = new URLSearchParams(location.search).get('list') ?? '', words = (new URLSearchParams(list).get('search') ?? '').toLowerCase();
  if (words !== '' && CSS.highlights) {
    const ranges = [], texts = document.createTreeWalker(document.getElementById('content'), NodeFilter.SHOW_TEXT);
    while (ranges.length < 1000 && texts.nextNode()) {
      const { data } = texts.currentNode, text = data.toLowerCase();
      if (text.length !== data.length) continue;
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
        const range = new Range();
        range.setStart(texts.currentNode, at);
        range.setEnd(texts.currentNode, at + words.length);
        ranges.push(range);
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  }
}
`)

export const foundStyles: SafeHtml = styleSheet(`
::highlight(found) { background: light-dark(#ffdf5d, #6b5500); color: light-dark(#171c26, #fff) }
`)
