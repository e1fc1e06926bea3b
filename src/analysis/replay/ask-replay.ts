// Asks a running application as the forms of its profiler would, above all to send a recorded request again: for the command line and agents
// that run in a separate process.

import { valueOfJson } from '../../base/http/json.ts'
import { Agent, request as plainRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { isRecord } from '../../base/options/check-options.ts'
import { writeReplayFields } from './order-fields.ts'
import type { ReplayOrder, ReplayAnswer, ReplayRefusal, ReplayReport } from './replay.ts'

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

/** Whether an address is one of this machine. */
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

export function noResponse({ origin }: URL, error: unknown): string {
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
export async function askProfiler(
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
