// Shortens CSS and script constants for a page: no comments, indentation or line breaks.

import { trusted, type SafeHtml } from './html.ts'

/** A style sheet of the library. Throws when the text could end its element. */
export function styleSheet(css: string): SafeHtml {
  const compact = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/\s*([{};,])\s*/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim()
  return trusted(withoutEndTag(compact, 'style'))
}

/** A script of the library; only indentation is taken out. Throws when the text could end its element. */
export function scriptBlock(script: string): SafeHtml {
  return trusted(withoutEndTag(script.replace(/\n\s+/g, '\n').trim(), 'script'))
}

function withoutEndTag(text: string, element: string): string {
  if (text.toLowerCase().includes('</')) throw new TypeError(`A ${element} of the library must not hold "</"`)
  return text
}
