// Schemas of comparisons: of two profiles, of two runs.

import type {
  ComparedNumber,
  Comparison,
  NumberComparison,
  NumberDifference,
  TextComparison,
  TextDifference,
} from '../../compare/compare.ts'
import type { RouteDifference } from '../../compare/compare-runs.ts'
import type { Measure } from '../../compare/profile-numbers.ts'
import type { ComparedSide } from '../../compare/read-comparison.ts'
import type { ComparedRun } from '../../compare/read-runs.ts'
import type { CompareChoiceJson, ComparedJson } from '../compare/compare-page.ts'
import type { RunsJson } from '../compare/runs-page.ts'
import { asked } from './page-schemas.ts'
import {
  instant,
  missingParts,
  nullableNumber,
  nullableText,
  profileGroup,
  profileSummary,
  sentences,
  token,
} from './profiles.ts'
import {
  anyOf,
  boolean,
  integer,
  list,
  named,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  type Schema,
} from './schema.ts'

export const side: Schema<ComparedSide> = anyOf(
  object<Extract<ComparedSide, { kind: 'profile' }>>({ kind: oneOf('profile'), summary: profileSummary }),
  object<Extract<ComparedSide, { kind: 'median' }>>({
    kind: oneOf('median'),
    route: text(),
    method: text(),
    count: integer(),
  }),
  object<Extract<ComparedSide, { kind: 'replays' }>>({ kind: oneOf('replays'), of: token, count: integer() }),
)

const section = {
  name: oneOf(
    'summary',
    'spans',
    'queries',
    'outgoing',
    'logs',
    'answer',
    'request-body',
    'request-headers',
    'response-headers',
    'configuration',
  ),
  title: text(),
  missing: nullableText,
  equal: sentences,
} as const

const numbers: Schema<NumberComparison> = object<NumberComparison>({
  ...section,
  kind: oneOf('numbers'),
  measures: list(object<Measure>({ label: text(), unit: oneOf('ms', 'count', 'bytes') })),
  differences: list(
    object<NumberDifference>({
      name: text(),
      change: oneOf('added', 'removed', 'multiplied', 'changed'),
      numbers: list(object<ComparedNumber>({ a: number(), b: number(), delta: number(), relative: nullableNumber })),
    }),
  ),
})

const texts: Schema<TextComparison> = object<TextComparison>({
  ...section,
  kind: oneOf('texts'),
  differences: list(
    object<TextDifference>({
      name: text(),
      change: oneOf('added', 'removed', 'changed'),
      a: nullableText,
      b: nullableText,
    }),
  ),
})

const sections = { sections: list(anyOf(numbers, texts)), differenceCount: integer() } as const

export const comparison: Schema<Comparison> = object<Comparison>(sections)

export const compared: Schema<ComparedJson> = named(
  'Comparison',
  'Two profiles, section by section. A positive difference: A has more.',
  object<ComparedJson>({
    a: side,
    b: side,
    ...sections,
    missing: optional(missingParts),
    ignored: sentences,
  }),
)

export const compareChoice: Schema<CompareChoiceJson> = named(
  'ComparisonChoice',
  'Where a side is not named: what it can be compared with.',
  object<CompareChoiceJson>({
    a: nullableText,
    b: nothing(),
    others: list(token),
    missing: optional(missingParts),
    ...asked,
  }),
)

const run: Schema<ComparedRun> = named(
  'Run',
  'One side of a comparison of runs.',
  object<ComparedRun>({
    since: nullable(instant),
    until: nullable(instant),
    version: nullableText,
    count: integer(),
    isCut: boolean(),
    omitted: integer(),
  }),
)

const routeDifference: Schema<RouteDifference> = named(
  'RouteDifference',
  'One route in both runs.',
  object<RouteDifference>({
    route: nullableText,
    change: oneOf('worse', 'better', 'few', 'only-run', 'only-base', 'same'),
    verdicts: list(
      oneOf(
        'slower',
        'faster',
        'slower-tail',
        'faster-tail',
        'more-own-code',
        'less-own-code',
        'more-queries',
        'fewer-queries',
        'more-errors',
        'fewer-errors',
      ),
    ),
    isFew: boolean(),
    run: nullable(profileGroup),
    base: nullable(profileGroup),
  }),
)

export const runs: Schema<RunsJson> = named(
  'RunComparison',
  'Two runs, route by route. `run` and `base` are null where there is nothing to compare.',
  object<RunsJson>({
    run: nullable(run),
    base: nullable(run),
    routes: list(routeDifference),
    starts: list(instant),
    versions: sentences,
    missing: optional(missingParts),
    ...asked,
  }),
)
