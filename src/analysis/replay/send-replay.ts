// Sends a recorded request to the application that runs in this process, over its own port.

import type { ClientRequest, IncomingMessage } from 'node:http'
import { performance } from '../../base/timing/builtins.ts'
import { finished } from 'node:stream/promises'
import type { ClientConnection } from '../../http/kernel/exchange.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { runOutsideExchanges } from '../../http/kernel/current-exchange.ts'
import { replayHeader, type OwnAddress } from '../../profiles/replays.ts'
import { nameOf } from '../../base/redact/mask-text.ts'
import type { Fields } from '../../observe/collectors/request.ts'
import {
  isMasked,
  missingText,
  splitTarget,
  type MissingValue,
  type RepeatableRequest,
} from '../../profiles/repeatable-request.ts'

/** The address at which a request came in; `null` if there is none: a Unix socket, a test without a server. */
export function ownAddress(client: ClientConnection | undefined): OwnAddress | null {
  const { socket } = client ?? {}
  if (typeof socket !== 'object' || socket === null) return null
  // A session of HTTP/2 has its own socket.
  const line: unknown = 'localPort' in socket || !('socket' in socket) ? socket : socket.socket
  if (typeof line !== 'object' || line === null || !('localAddress' in line && 'localPort' in line)) return null
  const { localAddress: host, localPort: port } = line
  if (typeof host !== 'string' || typeof port !== 'number') return null
  return { host, port, isEncrypted: 'encrypted' in line && line.encrypted === true }
}

/** A request that was sent again. */
export interface ReplayRun {
  /** Token of its profile; `null` without one. */
  readonly token: string | null
  /** `null` without a response. */
  readonly status: number | null
  /** As its profile says, else as it was waited for. */
  readonly durationMs: number
  /** What went wrong, one sentence; `null`: nothing. */
  readonly problem: string | null
}

interface SendOptions {
  readonly ticket: string
  /** How long the whole response may take, in milliseconds. */
  readonly timeoutMs: number
}

/** Sends it and reads the response to its end. Never rejects. */
export async function sendReplay(to: OwnAddress, message: ReplayMessage, options: SendOptions): Promise<ReplayRun> {
  const startedMs = performance.now()
  const late = AbortSignal.timeout(options.timeoutMs)
  let response: IncomingMessage | undefined
  let problem: string | null = null
  try {
    response = await runOutsideExchanges(() => responseTo(open(to, message, options.ticket, late), message.body))
    await finished(response.resume())
  } catch (error) {
    const after = `within ${options.timeoutMs / 1000} seconds`
    const reason = late.aborted ? `it did not end ${after}` : describeFailure(error).message
    problem = response === undefined ? `No response: ${reason}.` : `The response broke off: ${reason}.`
  }
  const token = response?.headers['x-debug-token']
  return {
    status: response?.statusCode ?? null,
    token: typeof token === 'string' ? token : null,
    durationMs: performance.now() - startedMs,
    problem,
  }
}

function open(to: OwnAddress, message: ReplayMessage, ticket: string, signal: AbortSignal): ClientRequest {
  const { method, target: path, host, headers, body } = message
  const fields = [
    ['Host', host],
    ...headers,
    ...(body === null ? [] : [['Content-Length', String(Buffer.byteLength(body))]]),
    [replayHeader, ticket],
    ['Connection', 'close'],
  ]
  const options = { host: to.host, port: to.port, method, path, headers: fields.flat(), agent: false, signal }
  // Importing them would load a `fetch` that the application may not have.
  const { getBuiltinModule } = process
  if (!to.isEncrypted) return getBuiltinModule('node:http').request(options)
  // The application talks to itself: whatever certificate it has is its own.
  return getBuiltinModule('node:https').request({
    ...options,
    rejectUnauthorized: false,
    servername: host.replace(/:\d+$/, ''),
  })
}

function responseTo(request: ClientRequest, body: string | null): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.once('response', resolve).on('error', reject)
  // As bytes: Node would send fields and text together in the encoding of the text.
  request.end(body === null ? undefined : Buffer.from(body))
  return promise
}

/** What is changed before a request is sent again. */
export interface ReplayEdits {
  /** Each replaces all fields of its name; an empty value leaves the field out. Default: none. */
  readonly headers?: Fields
  /** Each name replaces all parameters of its name; several of one name are sent in order. Default: none. */
  readonly query?: Fields
  /** Replaces the body. Default: the recorded one. */
  readonly body?: string | undefined
  /** Leave masked headers, cookies, parameters and fields of the body out. Default: no. */
  readonly withoutMasked?: boolean
}

export interface ReplayMessage extends Pick<RepeatableRequest, 'method' | 'scheme' | 'host' | 'target' | 'headers'> {
  readonly body: string | null
}

type EditedRequest =
  | { readonly state: 'ready'; readonly message: ReplayMessage }
  /** `problem` is for people. */
  | { readonly state: 'incomplete'; readonly problem: string; readonly missing: readonly MissingValue[] }
  | { readonly state: 'invalid'; readonly problem: string }

const wholeBody: MissingValue = { place: 'body', name: '', isCut: true }

/** A replay begins a trace; the trace of the recorded request has ended. */
const leftOut: ReadonlySet<string> = new Set(['traceparent', 'tracestate'])
const fixedFields: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding'])

/** Applies the edits. Never throws. */
export function editRequest(request: RepeatableRequest, edits: ReplayEdits): EditedRequest {
  const { headers = [], query = [], withoutMasked = false } = edits
  const wrong = headers.find((field) => fieldProblem(field) !== null)
  if (wrong !== undefined) return { state: 'invalid', problem: fieldProblem(wrong) ?? '' }
  const { body } = edits
  if (body !== undefined && isMasked(body) && request.body.state === 'there' && isMasked(request.body.text)) {
    return { state: 'invalid', problem: 'Body: some values are still masked. Replace every ******.' }
  }
  const missing = request.missing.filter(
    (value) => !isGiven(value, edits) && (value.isCut || value.place === 'path' || !withoutMasked),
  )
  const lacksBody = request.body.state === 'missing' && edits.body === undefined
  if (missing.length > 0 || lacksBody) {
    const problem = problemOf(request, missing, lacksBody)
    return { state: 'incomplete', problem, missing: lacksBody ? [...missing, wholeBody] : missing }
  }
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()))
  const kept = request.headers.filter(([name]) => !replaced.has(name.toLowerCase()) && !leftOut.has(name.toLowerCase()))
  const { method, scheme, host } = request
  return {
    state: 'ready',
    message: {
      method,
      scheme,
      host,
      target: editedTarget(request.target, query, withoutMasked),
      headers: [...kept, ...headers.filter(([, value]) => value !== '')],
      body: edits.body ?? recordedBody(request, withoutMasked),
    },
  }
}

function fieldProblem([name, value]: readonly [string, string]): string | null {
  const shown = JSON.stringify(name.slice(0, 60))
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name)) return `Header: ${shown} is not a name. Use letters, digits and dashes.`
  // eslint-disable-next-line no-control-regex
  if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
    return `Header: the value of ${shown} has a character that cannot be sent.`
  if (name.toLowerCase() === 'host') return 'Header: "Host" stays as it was recorded.'
  return fixedFields.has(name.toLowerCase()) ? `Header: ${shown} is made by the sender.` : null
}

function isGiven({ place, name }: MissingValue, { headers = [], query = [], body }: ReplayEdits): boolean {
  if (place === 'body') return body !== undefined
  if (place === 'query') return query.some(([given]) => given === name)
  const wanted = place === 'cookie' ? 'cookie' : name.toLowerCase()
  return place !== 'path' && headers.some(([given]) => given.toLowerCase() === wanted)
}

function problemOf({ body }: RepeatableRequest, missing: readonly MissingValue[], lacksBody: boolean): string {
  const names = (isCut: boolean): string =>
    missing
      .filter((value) => value.isCut === isCut)
      .map(missingText)
      .join(', ')
  return [
    ...(names(false) === ''
      ? []
      : [`Masked when recorded: ${names(false)}. Give new values, or leave out what is masked.`]),
    ...(names(true) === '' ? [] : [`Cut when recorded: ${names(true)}. Give new values.`]),
    ...(missing.some(({ place }) => place === 'path') ? ['A masked path cannot be replaced.'] : []),
    ...(lacksBody && body.state === 'missing' ? [`${body.reason} Give one.`] : []),
  ].join(' ')
}

function editedTarget(target: string, edits: Fields, withoutMasked: boolean): string {
  const { path, query: recorded } = splitTarget(target)
  const pairs = recorded === '' ? [] : recorded.split('&')
  const replaced = new Set(edits.map(([name]) => name))
  const kept = pairs.filter((pair) => !replaced.has(nameOf(pair)) && !(withoutMasked && isMasked(pair)))
  const given = edits.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const query = [...kept, ...given].join('&')
  return `${path.startsWith('/') ? path : `/${path}`}${query === '' ? '' : `?${query}`}`
}

function recordedBody({ body }: RepeatableRequest, withoutMasked: boolean): string | null {
  if (body.state !== 'there') return null
  if (!withoutMasked || !isMasked(body.text)) return body.text
  if (body.kind === 'json') return JSON.stringify(JSON.parse(body.text, withoutMasks)) ?? 'null'
  if (body.kind === 'form')
    return body.text
      .split('&')
      .filter((pair) => !isMasked(pair))
      .join('&')
  return body.text
}

/** Removes the member of an object; in a list the place stays, with `null`. */
function withoutMasks(_name: string, value: unknown): unknown {
  return typeof value === 'string' && isMasked(value) ? undefined : value
}
