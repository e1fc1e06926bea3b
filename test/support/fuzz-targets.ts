// What is fuzzed: each place where strangers' bytes come in. `npm test` runs a few inputs of each, `npm run fuzz` many.

import { openEnvFiles, openPatterns, openRates } from './fuzz-files.ts'
import { openBodies, openHeaders, openTargets } from './fuzz-http.ts'
import type { FuzzTarget } from './fuzz-input.ts'
import { openExports, openProfiles } from './fuzz-profiles.ts'

/** All of them. */
export const fuzzTargets: readonly FuzzTarget[] = [
  { name: 'request targets', open: openTargets, isServed: true },
  { name: 'header blocks', open: openHeaders, isServed: true },
  { name: 'queries and bodies', open: openBodies, isServed: true },
  { name: 'route patterns', open: openPatterns },
  { name: '.env files', open: openEnvFiles },
  { name: 'rates in XML', open: openRates },
  { name: 'stored profiles', open: openProfiles },
  { name: 'exported files', open: openExports },
]
