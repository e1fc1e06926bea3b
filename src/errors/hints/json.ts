// Hints about JSON that cannot be parsed, and values that cannot become JSON.

import type { FlattenedError } from '../flattened-error.ts'
import { byMessage, ownPlace, propertyText, type BuiltInHint } from './hint.ts'

export const jsonHints: readonly BuiltInHint[] = [
  {
    name: 'html-instead-of-json',
    matches: byMessage(/^Unexpected token '<'.*is not valid JSON$/s, 'SyntaxError'),
    explain: (error) => ({
      title: 'An HTML page was parsed as JSON',
      text:
        'The other server responded with a page, most likely an error page or a login. Check the status and the ' +
        `content type before parsing${ownPlace(error)}.`,
    }),
  },
  {
    name: 'promise-not-awaited',
    matches: byMessage(/\[object Promise\]/),
    explain: (error) => ({
      title: 'A promise was used in place of its value',
      text: `An await is missing${ownPlace(error)}: a promise turned into a string reads "[object Promise]".`,
    }),
  },
  {
    name: 'object-as-text',
    matches: byMessage(/\[object Object\]/, 'SyntaxError'),
    explain: (error) => ({
      title: 'An object was parsed as JSON',
      text:
        `JSON.parse expects a string; it was given an object${ownPlace(error)}, which became "[object ` +
        'Object]". It is already parsed: use it as it is.',
    }),
  },
  {
    name: 'undefined-as-json',
    matches: byMessage(/^"undefined" is not valid JSON$/, 'SyntaxError'),
    explain: (error) => ({
      title: 'undefined was parsed as JSON',
      text:
        `JSON.parse was given undefined${ownPlace(error)}: the variable, header or file it should ` +
        'have come from is missing.',
    }),
  },
  {
    name: 'json-ended-early',
    matches: byMessage(/^(Unexpected end of JSON input|Unterminated string in JSON)/, 'SyntaxError'),
    explain: (error) => ({
      title: 'The JSON is empty or incomplete',
      text:
        `The string ended before the document did${ownPlace(error)}. Typical causes are an empty body, a ` +
        'truncated file and a response without content.',
    }),
  },
  {
    name: 'json-syntax',
    matches: ({ className, message }) =>
      className === 'SyntaxError' &&
      / JSON at position \d+|is not valid JSON$/s.test(message) &&
      !/'<'|\[object |"undefined"/.test(message),
    explain: (error) => ({
      title: `Invalid JSON${jsonPlace(error.message)}`,
      text: 'JSON requires double-quoted keys and strings, and allows no trailing comma or comments.',
    }),
  },
  {
    name: 'circular-json',
    matches: byMessage(/^Converting circular structure to JSON/),
    explain: (error) => ({
      title: `${cycleOf(error)} cannot become JSON`,
      text:
        `${propertyText(error, 'jsonPath') === '' ? 'The message shows the cycle' : 'JSON has no way to refer to an object further up'}. Pick the fields you need${ownPlace(error)}, instead of passing a whole ` +
        'request, socket or database object.',
    }),
  },
  {
    name: 'bigint-json',
    matches: byMessage(/serialize a BigInt/),
    explain: (error) => ({
      title: `JSON has no BigInt${propertyText(error, 'jsonPath').replace(/^(?=.)/, ': ')}`,
      text:
        `Convert the BigInt to a string${ownPlace(error)}, for example with a replacer: (key, value) => typeof ` +
        "value === 'bigint' ? String(value) : value.",
    }),
  },
]

/** `order.items[2].order is order again, so it`. */
function cycleOf(error: FlattenedError): string {
  const path = propertyText(error, 'jsonPath')
  return path === '' ? 'The value contains itself and' : `${path} is ${propertyText(error, 'sameAs')} again, so it`
}

function jsonPlace(message: string): string {
  const place = /\(line (\d+) column (\d+)\)/.exec(message)
  return place === null ? '' : ` at line ${place[1]}, column ${place[2]}`
}
