// JSON with a mistake.

import type { HintRule } from './hint.ts'

/** JSON with a mistake. */
export const jsonSyntax: HintRule = {
  name: 'json-syntax',
  asked: { classes: ['SyntaxError'] },
  matches: (error) =>
    error.className === 'SyntaxError' &&
    / JSON at position \d+|is not valid JSON$/s.test(error.message) &&
    !/'<'|\[object |"undefined"/.test(error.message),
  explain: (error) => ({
    title: `The text is no valid JSON${jsonPlace(error.message)}`,
    text:
      'JSON wants double quotes around names and texts, no comma behind the last member, and no comments. ' +
      `The parser stopped${jsonPlace(error.message)}.`,
  }),
}

function jsonPlace(message: string): string {
  const place = /\(line (\d+) column (\d+)\)/.exec(message)
  return place === null ? '' : ` at line ${place[1]}, column ${place[2]}`
}
