// Recorded outgoing requests as stubs of undici's MockAgent, in the order in which they were sent.

import { valueOfJson } from '../../framework/http/json-syntax.ts'
import { isMasked } from '../replay/repeatable-request.ts'
import { fieldValue } from '../../framework/http/header-fields.ts'
import * as v from 'valibot'
import { mask } from '../../framework/redact/rules.ts'
import type { Profile } from '../profile.ts'
import { readPartAs } from '../stored-data.ts'
import { Expression, literal, quoted, filled, type MissingValues } from './literal.ts'

/** Stubs, and what they do not cover. */
interface OutgoingCode {
  /** Lines of statements on `agent`. */
  readonly stubs: readonly string[]
  /** Requests that are not stubbed, for people: `GET https://rates.example/v1 (node:http)`. */
  readonly unstubbed: readonly string[]
}

const fields = v.array(v.tuple([v.string(), v.string()]))
/** `undefined` for a body that was not captured. */
const capturedBody = v.fallback(v.optional(v.object({ text: v.string(), isWhole: v.boolean() })), undefined)

const schema = v.object({
  calls: v.array(
    v.object({
      client: v.optional(v.string(), 'fetch'),
      method: v.string(),
      url: v.string(),
      status: v.nullable(v.number()),
      error: v.nullable(v.string()),
      responseBytes: v.optional(v.nullable(v.number()), null),
      responseHeaders: v.optional(fields, []),
      responseBody: capturedBody,
    }),
  ),
  dropped: v.number(),
})

type Call = v.InferOutput<typeof schema>['calls'][number]

/** Only what `fetch` sent goes through an agent of undici. Bodies that were not captured are values to fill in. */
export function outgoingCode(profile: Profile, values: MissingValues): OutgoingCode {
  const part = readPartAs(profile, 'http-client', schema)
  if (part.state === 'failed' || part.state === 'unknown') {
    return { stubs: [], unstubbed: ['all outgoing requests, because their record cannot be read'] }
  }
  const { calls, dropped } = part.state === 'there' ? part.data : { calls: [], dropped: 0 }
  const stubbed = calls.filter((call) => call.client === 'fetch' && isEnded(call) && URL.canParse(call.url))
  const others = calls.filter((call) => !stubbed.includes(call))
  return {
    stubs: stubbed.flatMap((call) => stub(call, values)),
    unstubbed: [
      ...others.map(({ method, url, client }) => `${method} ${url} (${client})`),
      ...(dropped > 0 ? [`${dropped} more that were not recorded`] : []),
    ],
  }
}

function isEnded({ status, error }: Call): boolean {
  return status !== null || error !== null
}

function stub(call: Call, values: MissingValues): readonly string[] {
  const { origin, pathname, search } = new URL(call.url)
  const path = pathname + search
  const asked = literal({ path: isMasked(path) ? beginning(path) : path, method: call.method })
  return ['agent', `  .get(${quoted(origin)})`, `  .intercept(${asked})`, ...`  ${replyTo(call, values)}`.split('\n')]
}

function replyTo(call: Call, values: MissingValues): string {
  if (call.status === null) return `.replyWithError(new Error(${quoted(call.error ?? '')}))`
  const type = fieldValue(call.responseHeaders, 'content-type')
  const headers = type === undefined ? [] : [literal({ headers: { 'content-type': type } })]
  return `.reply(${[String(call.status), bodyOf(call, values), ...headers].join(', ')})`
}

/** The path of a URL that holds masked values, as far as it is known. */
function beginning(path: string): Expression {
  return new Expression(`(path) => path.startsWith(${quoted(path.slice(0, path.indexOf(mask)))})`)
}

/** As code: JSON as a value, which the agent writes out again. */
function bodyOf({ method, url, status, responseBytes, responseBody }: Call, values: MissingValues): string {
  if (method === 'HEAD' || status === 204 || status === 304 || responseBytes === 0) return "''"
  const what = `response of ${method} ${url}`
  const words = `${new URL(url).pathname.split('/').findLast((part) => part !== '') ?? ''} response`
  if (responseBody?.isWhole !== true) return values.takeOther(words, what).code
  const { text } = responseBody
  const value = valueOfJson(text)
  if (typeof value !== 'object' || value === null)
    return isMasked(text) ? values.takeOther(words, what).code : quoted(text)
  return literal(
    filled(value, (member, path) =>
      isMasked(member) ? values.takeOther(`${path} ${words}`, `${path} in the ${what}`) : undefined,
    ),
    '  ',
  )
}
