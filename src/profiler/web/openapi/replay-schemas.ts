// Schemas of replays: the form, and what came back.

import type { MissingValue, RepeatableBody, RepeatableRequest } from '../../replay/repeatable-request.ts'
import type { ReplayRefusal, ReplayReport, ReplayRun, ReplaySpread } from '../../replay/replay-report.ts'
import type { Compared } from '../../query/compare-markdown.ts'
import type { ReplayForm } from '../replay/replay-page.ts'
import { comparison, side } from './comparison-schemas.ts'
import { nullableNumber, nullableText, profileSummary, token } from './profiles.ts'
import {
  anyOf,
  boolean,
  integer,
  list,
  named,
  nullable,
  number,
  object,
  oneOf,
  text,
  tuple,
  type Schema,
} from './schema.ts'

const missing: Schema<readonly MissingValue[]> = list(
  object<MissingValue>({ place: oneOf('header', 'cookie', 'query', 'path', 'body'), name: text(), isCut: boolean() }),
)

const body: Schema<RepeatableBody> = anyOf(
  object<Extract<RepeatableBody, { state: 'none' }>>({ state: oneOf('none') }),
  object<Extract<RepeatableBody, { state: 'there' }>>({
    state: oneOf('there'),
    kind: oneOf('json', 'form', 'text'),
    mediaType: text(),
    text: text(),
  }),
  object<Extract<RepeatableBody, { state: 'missing' }>>({ state: oneOf('missing'), reason: text() }),
)

const request: Schema<RepeatableRequest> = object<RepeatableRequest>({
  method: text(),
  url: text(),
  scheme: oneOf('http', 'https'),
  host: text(),
  target: text(),
  headers: list(tuple(text(), text())),
  body,
  missing,
})

const refusal: Schema<ReplayRefusal> = object<ReplayRefusal>({
  reason: oneOf('gone', 'impossible', 'elsewhere', 'incomplete', 'invalid', 'unconfirmed', 'unreachable'),
  problem: text(),
  missing,
})

export const replayForm: Schema<ReplayForm> = named(
  'ReplayForm',
  'A recorded request that can be sent again, what is missing in it, and why a form was refused.',
  object<ReplayForm>({
    token,
    request: nullable(request),
    isSafe: boolean(),
    confirm: nullableText,
    refused: nullable(refusal),
  }),
)

const run: Schema<ReplayRun> = object<ReplayRun>({
  token: nullable(token),
  status: nullable(integer()),
  durationMs: number(),
  problem: nullableText,
})

const spread: Schema<ReplaySpread> = object<ReplaySpread>({
  name: text(),
  least: number(),
  median: number(),
  p95: number(),
  most: number(),
  recorded: nullableNumber,
})

export const replayReport: Schema<ReplayReport> = named(
  'ReplayReport',
  'Replays of a request, compared with it: A is the replay, or the median of several.',
  object<ReplayReport>({
    of: profileSummary,
    isOffline: boolean(),
    runs: list(run),
    spread: list(spread),
    compared: nullable(object<Compared>({ state: oneOf('compared'), a: side, b: side, comparison })),
  }),
)
