// What a test file is made of: the request, without what every client makes itself; what the test expects of it; and recorded outgoing
// requests as stubs of undici's MockAgent, in the order in which they were sent.

import * as v from 'valibot'
import { fieldValue } from '../../base/http/header-fields.ts'
import { valueOfJson } from '../../base/http/json-syntax.ts'
import { readPairs } from '../../base/http/query.ts'
import { mask } from '../../base/redact/rules.ts'
import type { Profile } from '../../observe/profile.ts'
import { isMasked, type MissingValue, type RepeatableRequest } from '../../profiles/repeatable-request.ts'
import { dataOf, readPartAs } from '../../profiles/stored-data.ts'
import { numberOf, type BudgetName } from '../../testing/budgets.ts'
import { Expression, literal, quoted, template, filled, type MissingValues } from './literal.ts'
import type { RunnerCode } from './runners.ts'

/** Parts of the request, as values and expressions for `literal`. */
export interface RequestCode {
  readonly method: string
  /** Path and query. */
  readonly url: string | Expression
  readonly headers: Readonly<Record<string, unknown>>
  /** `undefined`: none was sent. */
  readonly body: unknown
  /** Whether the body is a value that is sent as JSON; else it is text. */
  readonly isJson: boolean
}

/** Clients and proxies add these for themselves, and no application should decide by them. */
const unneeded =
  /^(?:accept-encoding|priority|upgrade-insecure-requests|dnt|traceparent|tracestate|baggage|x-debug-.*|sec-(?!fetch-site$).*)$/i

/** Columns before a body: it is a member of the request. */
const formIndent = '    '

export function requestCode(request: RepeatableRequest, values: MissingValues): RequestCode {
  const missing = request.missing.filter(({ place, name }) => place !== 'header' || !unneeded.test(name))
  // In the order of the file: values are named in the order in which they are asked for.
  const url = urlOf(request, values)
  const headers = headersOf(request, missing, values)
  const body = bodyOf(request, missing, values)
  const isJson = request.body.state === 'there' && request.body.kind === 'json'
  // A value is sent as `application/json` by itself.
  if (isJson && request.body.mediaType === 'application/json') delete headers['content-type']
  return { method: request.method, url, headers, body, isJson }
}

function headersOf(
  { headers, host }: RepeatableRequest,
  missing: readonly MissingValue[],
  values: MissingValues,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host)) fields['host'] = host
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (unneeded.test(key)) continue
    const before = fields[key]
    fields[key] = typeof before === 'string' ? `${before}${key === 'cookie' ? '; ' : ', '}${value}` : value
  }
  for (const value of missing) if (value.place === 'header') fields[value.name.toLowerCase()] = values.take(value)
  const cookies = missing.filter(({ place }) => place === 'cookie')
  if (cookies.length > 0) {
    fields['cookie'] = template(
      cookies.flatMap((cookie, index) => [`${index === 0 ? '' : '; '}${cookie.name}=`, values.take(cookie)]),
    )
  }
  return fields
}

function urlOf({ target, missing }: RepeatableRequest, values: MissingValues): string | Expression {
  if (!missing.some(({ place }) => place === 'path' || place === 'query')) return target
  return template(
    target.split(/([/?&])/).flatMap((part): readonly (string | Expression)[] => {
      const segment = missing.find(({ place, name }) => place === 'path' && name === part)
      if (segment !== undefined) return [values.take(segment)]
      const name = readPairs(part)[0]?.[0]
      const parameter = missing.find((value) => value.place === 'query' && value.name === name)
      const isValue = parameter !== undefined && part.includes('=')
      return isValue ? [part.slice(0, part.indexOf('=') + 1), values.take(parameter)] : [part]
    }),
  )
}

function bodyOf({ body }: RepeatableRequest, missing: readonly MissingValue[], values: MissingValues): unknown {
  if (body.state === 'none') return undefined
  const places = missing.filter(({ place }) => place === 'body')
  if (body.state === 'missing' || places.some(({ name }) => name === ''))
    return values.take({ place: 'body', name: '' })
  if (body.kind === 'json') {
    return filled(JSON.parse(body.text), (_, path) => {
      const place = places.find(({ name }) => name === path)
      return place === undefined ? undefined : values.take(place)
    })
  }
  return body.kind === 'form' ? formOf(body.text, places, values) : body.text
}

/** As text; a form with values to fill in is encoded by the test. */
function formOf(text: string, places: readonly MissingValue[], values: MissingValues): string | Expression {
  if (places.length === 0) return text
  const fields = readPairs(text).map(([name, value]) => {
    const place = places.find((one) => one.name === name)
    return [name, place === undefined ? value : values.take(place)]
  })
  return new Expression(`String(new URLSearchParams(${literal(fields, formIndent)}))`)
}

/** Assertions, and the same in words. */
export interface Expectations {
  /** Goes on after `GET /orders/7 `. */
  readonly title: string
  /** Statements. */
  readonly lines: readonly string[]
  /** Whether they need the profile of the request; else the response is enough. */
  readonly needsProfile: boolean
}

/** Counts that are the same in every run; times are not. */
const pinned: readonly BudgetName[] = ['queries', 'nPlusOne', 'outgoing', 'logErrors']

/** `canProfile`: whether the test can read a profile of its request. */
export function expectationsOf(profile: Profile, runner: RunnerCode, canProfile: boolean): Expectations {
  return hasFailed(profile) ? mended(profile, runner, canProfile) : asRecorded(profile, runner, canProfile)
}

/** Whether the recorded request is to be mended. A 404 that was thrown is a response like any other. */
export function hasFailed({ findings }: Pick<Profile, 'findings'>): boolean {
  return findings.includes('error')
}

function mended(profile: Profile, runner: RunnerCode, canProfile: boolean): Expectations {
  const { status, errorClass, errorMessage } = profile
  const below = runner.below('response.status', 500, '`responded with ${response.status}`')
  const isThrown = errorClass !== null && (status >= 500 || status === 0)
  const title = isThrown ? `responds without ${errorClass}` : status >= 500 ? 'does not fail' : 'logs no error'
  if (!canProfile) return { title, lines: [below], needsProfile: false }
  const thrown = [
    'const thrown = `${profile.errorClass}: ${profile.errorMessage}`',
    runner.notEqual('thrown', quoted(`${errorClass}: ${errorMessage}`)),
  ]
  return {
    title,
    lines: [...(isThrown ? thrown : []), below, 'expectProfile(profile).toStayWithin({ logErrors: 0 })'],
    needsProfile: true,
  }
}

function asRecorded(profile: Profile, runner: RunnerCode, canProfile: boolean): Expectations {
  const budgets = pinned.flatMap((name): readonly (readonly [string, number])[] => {
    const number = numberOf(profile, name)
    return number === null ? [] : [[name, number]]
  })
  const needsProfile = canProfile && budgets.length > 0
  const location = locationOf(profile)
  return {
    title: `responds with ${profile.status}${needsProfile ? ' within its budgets' : ''}`,
    lines: [
      runner.equal('response.status', String(profile.status)),
      ...(location === undefined ? [] : [runner.equal("response.headers.get('location')", quoted(location))]),
      ...(needsProfile ? [`expectProfile(profile).toStayWithin(${literal(Object.fromEntries(budgets), '  ')})`] : []),
    ],
    needsProfile,
  }
}

/** Where a redirect leads, if that was not masked. */
function locationOf(profile: Profile): string | undefined {
  const fields = dataOf(profile, 'request')?.responseHeaders ?? []
  const value = fieldValue(fields, 'location')
  return value !== undefined && isMasked(value) ? undefined : value
}

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
  return `.reply(${[String(call.status), replyBodyOf(call, values), ...headers].join(', ')})`
}

/** The path of a URL that holds masked values, as far as it is known. */
function beginning(path: string): Expression {
  return new Expression(`(path) => path.startsWith(${quoted(path.slice(0, path.indexOf(mask)))})`)
}

/** As code: JSON as a value, which the agent writes out again. */
function replyBodyOf({ method, url, status, responseBytes, responseBody }: Call, values: MissingValues): string {
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
