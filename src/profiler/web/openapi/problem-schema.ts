// The schema of the problem documents (RFC 9457) of error pages.

import type { ChainData, ErrorData, OriginData, ProblemDebug } from '../../../errors/json-renderer.ts'
import type { Work } from '../../../errors/request-work.ts'
import { changeCandidate, hint, suggestion } from './errors.ts'
import { nullableNumber, nullableText, sentences, token } from './profiles.ts'
import {
  boolean,
  integer,
  list,
  named,
  nullable,
  number,
  object,
  optional,
  record,
  recursive,
  text,
  type Members,
  type Schema,
} from './schema.ts'

function chainMembers(chain: Schema<ChainData>): Members<ChainData> {
  const error = object<ErrorData>({
    class: text(),
    message: text(),
    code: nullableText,
    properties: record(text()),
    trace: list(text(), { description: 'Frames, one line each.' }),
    members: optional(list(chain)),
  })
  return { errors: list(error), cut: optional(text()) }
}

const chain: Schema<ChainData> = recursive<ChainData>(
  'ProblemErrors',
  'An error and its causes, outermost first.',
  (self) => object<ChainData>(chainMembers(self)),
)

const work: Schema<Work> = object<Work>({
  name: text(),
  detail: nullableText,
  category: text(),
  startMs: number(),
  durationMs: nullableNumber,
  isFailed: boolean(),
  callSite: nullableText,
  result: nullableText,
})

const origin: Schema<OriginData> = object<OriginData>({
  usedAt: text(),
  name: text(),
  note: text(),
  source: nullable(
    object<NonNullable<OriginData['source']>>({
      file: text(),
      line: integer(),
      marked: list(integer()),
      lines: sentences,
    }),
  ),
})

const debug: Schema<ProblemDebug> = named(
  'ProblemDebug',
  'What explains the error; only for those who may open profiles.',
  object<ProblemDebug>({
    message: text(),
    method: text(),
    url: text(),
    route: nullableText,
    token: nullable(token),
    ...chainMembers(chain),
    work: optional(list(work)),
    suggestions: list(suggestion),
    hints: list(hint),
    origins: list(origin),
    candidates: list(changeCandidate),
  }),
)

/** The members that every problem document has. */
interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly reference: string
  readonly detail?: string
  readonly debug?: ProblemDebug
}

export const problem: Schema<Problem> = named(
  'Problem',
  'The response of the application to an error, for Accept: application/json. Errors add members of their own.',
  object<Problem>(
    {
      type: text({ format: 'uri-reference' }),
      title: text(),
      status: integer(),
      reference: text({ description: 'Also in the log line.' }),
      detail: optional(text()),
      debug: optional(debug),
    },
    { additionalProperties: true },
  ),
)
