// Schemas of errors: chains with frames and source, what explains them, and problem documents.

import type {
  ErrorChain,
  ErrorProperty,
  FlattenedError,
  Frame,
  FrameRepeats,
  SourceExcerpt,
} from '../../../errors/flattened-error.ts'
import type { Hint } from '../../../errors/hints/hint.ts'
import type { ChangeCandidate, ExplainedChain, OriginSource, ValueOrigin } from '../../../errors/value-origin.ts'
import type { Suggestion } from '../../../framework/routing/suggest-routes.ts'
import { nullableText } from './profiles.ts'
import {
  boolean,
  integer,
  list,
  named,
  nullable,
  object,
  oneOf,
  optional,
  recursive,
  text,
  tuple,
  type Members,
  type Schema,
} from './schema.ts'

const excerpt: Schema<SourceExcerpt> = named(
  'SourceExcerpt',
  'Lines of source.',
  object<SourceExcerpt>({
    startLine: integer({ minimum: 1 }),
    lines: list(
      list(tuple(text(), text()), { description: 'Pairs of the kind of a token (kwd, str, …) and its text.' }),
    ),
    changedSince: optional(oneOf('loaded', 'started')),
  }),
)

const frame: Schema<Frame> = named(
  'Frame',
  'A frame of a stack trace.',
  object<Frame>({
    functionName: nullableText,
    file: text({ description: 'Relative to the project; node_modules/… for dependencies, node:… for Node.' }),
    line: integer(),
    column: integer(),
    origin: oneOf('own', 'dependency', 'node'),
    isAsync: boolean(),
    excerpt: nullable(excerpt),
    repeats: optional(object<FrameRepeats>({ frames: integer(), times: integer() })),
  }),
)

function chainMembers(chain: Schema<ErrorChain>): Members<ErrorChain> {
  return {
    errors: list(
      object<FlattenedError>({
        className: text(),
        message: text(),
        code: nullableText,
        properties: list(object<ErrorProperty>({ name: text(), value: text() })),
        frames: list(frame),
        isError: boolean(),
        members: list(chain),
      }),
    ),
    cut: nullableText,
  }
}

export const errorChain: Schema<ErrorChain> = recursive<ErrorChain>(
  'ErrorChain',
  'An error and its causes, outermost first.',
  (self) => object<ErrorChain>(chainMembers(self)),
)

export const hint: Schema<Hint> = object<Hint>({ title: text(), text: text() })

export const changeCandidate: Schema<ChangeCandidate> = named(
  'ChangeCandidate',
  'A line that is most likely wrong.',
  object<ChangeCandidate>({ file: text(), line: integer(), why: text() }),
)

const valueOrigin: Schema<ValueOrigin> = named(
  'ValueOrigin',
  'Where a name of the failed line gets its value.',
  object<ValueOrigin>({
    usedAt: text(),
    name: text(),
    note: text(),
    source: nullable(
      object<OriginSource>({ file: text(), line: integer(), parts: list(excerpt), marked: list(integer()) }),
    ),
  }),
)

export const explainedChain: Schema<ExplainedChain> = named(
  'ExplainedChain',
  'What was thrown, and what explains it.',
  object<ExplainedChain>({
    ...chainMembers(errorChain),
    hints: optional(list(hint)),
    origins: optional(list(valueOrigin)),
    candidates: optional(list(changeCandidate)),
  }),
)

export const suggestion: Schema<Suggestion> = named(
  'RouteSuggestion',
  'A near route, with a request that it would take.',
  object<Suggestion>({
    routeName: text(),
    pattern: text(),
    kind: oneOf(
      'typo',
      'case',
      'slash',
      'doubled-slash',
      'plural',
      'requirement',
      'method',
      'host',
      'scheme',
      'prefix',
    ),
    reason: text(),
    method: text(),
    url: nullableText,
    definedAt: nullableText,
  }),
)
