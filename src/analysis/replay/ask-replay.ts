// Asks a running application as the forms of its profiler would, above all to send a recorded request again: for the command line and agents
// that run in a separate process.

import type { QueryFields } from '../../base/http/query.ts'
import { didYouMean, isRecord } from '../../base/options/check-options.ts'
import type { Fields } from '../../observe/collectors/request.ts'
import type { ReplayOrder, ReplayRefusal, ReplayAnswer, ReplayReport } from './replay.ts'
import { valueOfJson } from '../../base/http/json.ts'
import { Agent, request as plainRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import type { ReadDatabase, RowAnswer } from '../../observe/outgoing/open-databases.ts'

/** A ticket of a form counts as a yes. */
export interface ReplayFields extends Omit<ReplayOrder, 'token' | 'isConfirmed'> {
  /** The body as it is in a text area, whose line ends are the browser's. */
  readonly text?: string
  readonly confirm?: string
}

/** Names with one value. Others begin with `header:` or `query:`. */
const names = ['body', 'text', 'values', 'withoutMasked', 'confirm', 'headers', 'guessed'] as const

/** What the fields say. Throws a RangeError with a sentence for what cannot be used. */
export function readReplayFields(fields: QueryFields): ReplayFields {
  const valueOf = (name: (typeof names)[number]): string | undefined => fields.get(name)?.[0]
  for (const name of fields.keys()) {
    if (names.some((known) => known === name) || /^(?:header|query):/.test(name)) continue
    const meant = didYouMean(name, names)
    throw new RangeError(
      `Unknown field ${JSON.stringify(name.slice(0, 60))}.${meant} Known: ${names.join(', ')}, header:<name>, query:<name>.`,
    )
  }
  const { body, text, confirm } = { body: valueOf('body'), text: valueOf('text'), confirm: valueOf('confirm') }
  return {
    headers: [...fieldsOf(fields, 'header:'), ...linesOf(valueOf('headers') ?? '')],
    query: fieldsOf(fields, 'query:'),
    values: valueOf('values') === '1',
    guessed: Number(valueOf('guessed') ?? 0),
    withoutMasked: valueOf('withoutMasked') === '1',
    ...(body === undefined ? {} : { body }),
    ...(text === undefined ? {} : { text: text.replaceAll('\r\n', '\n') }),
    ...(confirm === undefined ? {} : { confirm }),
  }
}

function writeReplayFields({
  headers,
  query,
  body,
  withoutMasked,
  values,
  confirm,
  guessed = 0,
}: ReplayFields): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [name, value] of headers ?? []) fields.append(`header:${name}`, value)
  for (const [name, value] of query ?? []) fields.append(`query:${name}`, value)
  if (body !== undefined) fields.set('body', body)
  if (values === true) fields.set('values', '1')
  if (withoutMasked === true) fields.set('withoutMasked', '1')
  if (confirm !== undefined) fields.set('confirm', confirm)
  if (guessed > 0) fields.set('guessed', String(guessed))
  return fields
}

/** What helps where nothing was sent: to give fields, to leave out what is masked, to say yes. */
export type ReplayHelp = 'headers' | 'query' | 'body' | 'withoutMasked' | 'confirm'

export function helpWith({ reason, missing }: ReplayRefusal): readonly ReplayHelp[] {
  const places = new Set(missing.map(({ place }) => (place === 'header' || place === 'cookie' ? 'headers' : place)))
  const given = (['headers', 'query', 'body'] as const).filter((name) => places.has(name))
  return [
    ...given,
    ...(missing.some(({ isCut }) => !isCut) ? (['withoutMasked'] as const) : []),
    ...(reason === 'unconfirmed' ? (['confirm'] as const) : []),
  ]
}

/** `Accept: text/html`, a field a line. Throws a RangeError that shows a line without a colon. */
function linesOf(text: string): Fields {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const field = fieldOf(line)
    if (field !== undefined) return field
    throw new RangeError(`Header: ${JSON.stringify(line.slice(0, 60))} is not valid. Use a name, a colon and a value.`)
  })
}

/** `Accept: text/html`; `undefined` for a text without a name. */
export function fieldOf(text: string): readonly [string, string] | undefined {
  const colon = text.indexOf(':')
  return colon > 0 ? [text.slice(0, colon).trim(), text.slice(colon + 1).trim()] : undefined
}

/** `page=2`; `undefined` for a text without a name. */
export function parameterOf(text: string): readonly [string, string] | undefined {
  const equals = text.indexOf('=')
  return equals > 0 ? [text.slice(0, equals), text.slice(equals + 1)] : undefined
}

function fieldsOf(fields: QueryFields, prefix: string): Fields {
  return [...fields]
    .filter(([name]) => name.startsWith(prefix))
    .flatMap(([name, values]) => values.map((value) => [name.slice(prefix.length), value] as const))
}

/** A profiler that runs on this machine. */
export interface RunningProfiler {
  /** Address of the profiler: `http://127.0.0.1:8000/_profiler`. */
  readonly url: URL
  /** `name=value`, where it needs the key. Default: none. */
  readonly cookie?: string | undefined
}

/** How long a replay may take, in milliseconds. */
const patienceMs = 95_000
/** Bytes of one response that are read at most. */
const maxBytes = 16 * 1024 * 1024

export function isOnThisMachine({ hostname }: URL): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/** Sends the order, `latest` for the newest profile. Never rejects. */
export async function askReplay(profiler: RunningProfiler, order: ReplayOrder): Promise<ReplayAnswer> {
  const { url } = profiler
  if (!isOnThisMachine(url))
    return unreachable(`${url.host} is not this machine. A replay goes only to an application on this machine.`)
  // One connection: what a process confirms, the same process sends.
  const options = { keepAlive: true, maxSockets: 1 }
  const agent = url.protocol === 'https:' ? new SecureAgent(options) : new Agent(options)
  try {
    const confirm = order.isConfirmed ? await ticketOf(profiler, order.token, agent) : undefined
    const fields = writeReplayFields({ ...order, ...(confirm === undefined ? {} : { confirm }) })
    return answerOf(profiler, await askProfiler(profiler, pageOf(order.token), agent, fields.toString()))
  } catch (error) {
    return unreachable(noResponse(url, error))
  } finally {
    agent.destroy()
  }
}

function noResponse({ origin }: URL, error: unknown): string {
  return `No application responds at ${origin}: ${describeFailure(error).message}`
}

function unreachable(problem: string): ReplayAnswer {
  return { state: 'refused', reason: 'unreachable', problem, missing: [] }
}

interface Received {
  readonly status: number
  readonly json: unknown
}

/** `undefined` for a request that needs none, or that cannot be sent. */
async function ticketOf(profiler: RunningProfiler, token: string, agent: Agent): Promise<string | undefined> {
  const { json } = await askProfiler(profiler, pageOf(token), agent)
  return isRecord(json) && typeof json['confirm'] === 'string' ? json['confirm'] : undefined
}

const pageOf = (token: string): string => `${encodeURIComponent(token)}/replay.json`

/** JSON of a page of a profiler on this machine; with a form, as one of its pages would send it. */
async function askProfiler(
  { url, cookie }: RunningProfiler,
  page: string,
  agent?: Agent,
  form?: string,
): Promise<Received> {
  const send = url.protocol === 'https:' ? secureRequest : plainRequest
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = send(new URL(`${url.pathname.replace(/\/+$/, '')}/${page}`, url.origin), {
    agent,
    rejectUnauthorized: false,
    method: form === undefined ? 'GET' : 'POST',
    signal: AbortSignal.timeout(patienceMs),
    headers: {
      accept: 'application/json',
      // What a form on a page of the profiler says.
      origin: url.origin,
      'sec-fetch-site': 'same-origin',
      ...(cookie === undefined ? {} : { cookie }),
      ...(form === undefined
        ? {}
        : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(form) }),
    },
  })
  request.once('response', resolve).on('error', reject)
  request.end(form)
  const response = await promise
  return { status: response.statusCode ?? 0, json: await jsonOf(response) }
}

/** `undefined` for what is not JSON. */
async function jsonOf(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error('its response is too large')
    chunks.push(chunk)
  }
  return valueOfJson(Buffer.concat(chunks).toString())
}

function answerOf({ url }: RunningProfiler, { status, json }: Received): ReplayAnswer {
  if (isReport(json)) return { state: 'sent', report: json }
  const refused = isRecord(json) && isRecord(json['refused']) ? json['refused'] : json
  if (isRefusal(refused))
    return { state: 'refused', reason: refused.reason, problem: refused.problem, missing: refused.missing }
  if (status === 403) return unreachable(`The profiler at ${url.origin} refuses this request (403).`)
  if (status === 404 && isRecord(json) && typeof json['error'] === 'string') {
    return { state: 'refused', reason: 'gone', problem: json['error'], missing: [] }
  }
  return unreachable(`There is no profiler at ${url.href} that sends requests again (${status}).`)
}

// The application is of this machine and of this version, or it says something else and is told apart by these members.
function isReport(value: unknown): value is ReplayReport {
  return isRecord(value) && isRecord(value['run']) && isRecord(value['of'])
}

function isRefusal(value: unknown): value is ReplayRefusal {
  return (
    isRecord(value) &&
    typeof value['reason'] === 'string' &&
    typeof value['problem'] === 'string' &&
    Array.isArray(value['missing'])
  )
}

/** `profiler` is asked each time: an application may have started since. */
export function readDatabaseThere(profiler: () => RunningProfiler): ReadDatabase {
  return async ({ sql, database = '', limit = '' }) => {
    const { url, cookie } = profiler()
    if (!isOnThisMachine(url)) return { problem: `${url.host} is not this machine. Only applications on it are asked.` }
    const form = new URLSearchParams({ sql, database, limit: String(limit) })
    try {
      const { status, json } = await askProfiler({ url, cookie }, 'rows', undefined, String(form))
      if (isAnswer(json)) return json
      return { problem: `${url.origin} gives no rows (${status}): it needs SQL=read, in development.` }
    } catch (error) {
      return { problem: noResponse(url, error) }
    }
  }
}

function isAnswer(json: unknown): json is RowAnswer {
  return isRecord(json) && (typeof json['problem'] === 'string' || Array.isArray(json['rows']))
}
