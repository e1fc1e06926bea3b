// An import of what a module does not offer.

import { firstGroup } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** An import of what a module does not offer. */
export const missingExport: HintRule = {
  name: 'missing-export',
  asked: { texts: ['does not provide an export named'] },
  matches: (error) => /does not provide an export named/.test(error.message),
  explain: (error) => ({
    title: `The module has no export named ${firstGroup(/named '([^']+)'/, error.message) || 'so'}`,
    text:
      'Check the spelling, and whether it is the default export. A type that is imported without "import ' +
      'type" looks like this too, because types are gone when the code runs.',
  }),
}
