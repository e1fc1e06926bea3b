// A CommonJS word in an ES module.

import { firstGroup } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A CommonJS word in an ES module. */
export const commonjsInModule: HintRule = {
  name: 'commonjs-in-module',
  asked: { texts: ['is not defined in ES module scope'] },
  matches: (error) => /is not defined in ES module scope/.test(error.message),
  explain: (error) => ({
    title: `${firstGroup(/^(\S+)/, error.message)} does not exist in ES modules`,
    text:
      'Use import instead of require, export instead of module.exports, import.meta.dirname and ' +
      'import.meta.filename instead of __dirname and __filename.',
  }),
}
