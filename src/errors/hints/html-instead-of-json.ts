// A page where JSON was expected.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A page where JSON was expected. */
export const htmlInsteadOfJson: HintRule = {
  name: 'html-instead-of-json',
  asked: { classes: ['SyntaxError'] },
  matches: (error) =>
    error.className === 'SyntaxError' && /^Unexpected token '<'.*is not valid JSON$/s.test(error.message),
  explain: (error) => ({
    title: 'A page of HTML was parsed as JSON',
    text:
      'What was called answered with a page, most likely an error page or a login. Check status and ' +
      `content type before parsing${ownPlace(error)}.`,
  }),
}
