// Takes the spans and log lines that browsers and other services send by OTLP over HTTP. Bounded in everything; what is not kept is said in the
// response and counted.

import { wallMs } from '../../../base/timing/builtins.ts'
import { HttpError } from '../../../base/http/http-error.ts'
import { parseMediaType } from '../../../base/http/media-type.ts'
import { Reply } from '../../../base/http/reply.ts'
import type { HttpRequest } from '../../../base/http/request.ts'
import type { Exchange } from '../../../http/kernel/exchange.ts'
import type { Redactor } from '../../../base/redact/redactor.ts'
import type { Profile } from '../../../observe/profile.ts'
import { maxTraceSpans } from '../../traces/read-trace.ts'
import type { Attributes } from '../../../profiles/trace-span.ts'
import { decodeJson, OtlpBoundError, OtlpReadError, decodeProtobuf, encodeProtobuf } from '../messages.ts'
import type { LogsRequest, MessageName, Messages, TraceRequest } from '../messages.ts'
import type { ReceivingStatus } from '../../../profiles/sampling/recorder-status.ts'
import { otlpContentTypes } from '../trace-request.ts'
import {
  receivedLine,
  traceOfLine,
  ReceivedProfiles,
  receivedAttributes,
  receivedSpan,
  traceOfSpan,
} from './received-profiles.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { membersOf } from '../../../base/members.ts'

export type OtlpSignal = 'traces' | 'logs'

export interface OtlpReceiverOptions {
  readonly redactor: Redactor
  readonly keep: (profile: Profile) => void
  readonly newToken: () => string
  /** Whether the store has too much to write already. */
  readonly isBusy: () => boolean
}

/** Traces that are counted; the oldest is forgotten. */
const maxTraces = 1000
/** Requests that are read at the same time. */
const maxOpen = 4
/** Spans or log lines that are read before others have their turn. */
const sliceLength = 200

export class OtlpReceiver {
  readonly #options: OtlpReceiverOptions
  /** How many were kept of each trace. */
  readonly #traces = new Map<string, number>()
  #open = 0
  /** Fulfilled when nothing is read any more. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #counts = { requests: 0, spans: 0, logRecords: 0, rejectedSpans: 0, rejectedLogRecords: 0, refused: 0 }
  #problem: string | null = null

  constructor(options: OtlpReceiverOptions) {
    this.#options = options
  }

  get status(): ReceivingStatus {
    return { ...this.#counts, problem: this.#problem }
  }

  /** Never rejects for what was sent. */
  async receive(signal: OtlpSignal, { request }: Pick<Exchange, 'request'>): Promise<Reply> {
    const isJson = essenceOf(request) === 'application/json'
    if (this.#open >= maxOpen || this.#options.isBusy()) {
      return this.#refuse(new RefusedRequest(429, 'Too much is being received; send it again in a moment'), isJson)
    }
    this.#open += 1
    try {
      const sender = { ip: request.clientAddress, newToken: this.#options.newToken, now: wallMs() }
      const batch = new Batch(new ReceivedProfiles(sender), (traceId) => this.#hasRoom(traceId))
      const bytes = await bodyBytes(request)
      // One after the other: what is read takes many times the memory of its bytes.
      const taken = this.#last.then(async () => {
        if (signal === 'traces') await this.#takeSpans(read('TraceRequest', bytes, isJson), batch)
        else await this.#takeLines(read('LogsRequest', bytes, isJson), batch, sender.now)
      })
      this.#last = taken.then(nextTurn, nextTurn)
      await taken
      for (const profile of batch.profiles.made()) this.#options.keep(profile)
      return this.#answer(signal, batch, isJson)
    } catch (thrown) {
      if (!(thrown instanceof RefusedRequest)) throw thrown
      return this.#refuse(thrown, isJson)
    } finally {
      this.#open -= 1
    }
  }

  async #takeSpans({ resourceSpans = [] }: TraceRequest, batch: Batch): Promise<void> {
    const { redactor } = this.#options
    for (const { resource = {}, scopeSpans = [] } of resourceSpans) {
      const attributes = receivedAttributes(resource.attributes, redactor)
      for (const { scope = {}, spans = [] } of scopeSpans) {
        const named: Attributes = scope.name === undefined ? {} : { 'otel.scope.name': redactor.text(scope.name, 200) }
        for (const span of spans) {
          if (batch.take(traceOfSpan(span))) {
            const read = receivedSpan(span, redactor)
            batch.profiles.addSpan({ ...read, attributes: { ...read.attributes, ...named } }, attributes)
          }
          if (batch.count % sliceLength === 0) await nextTurn()
        }
      }
    }
  }

  async #takeLines({ resourceLogs = [] }: LogsRequest, batch: Batch, now: number): Promise<void> {
    const { redactor } = this.#options
    for (const { resource = {}, scopeLogs = [] } of resourceLogs) {
      const attributes = receivedAttributes(resource.attributes, redactor)
      for (const { scope = {}, logRecords = [] } of scopeLogs) {
        for (const record of logRecords) {
          if (batch.take(traceOfLine(record))) {
            batch.profiles.addLine(receivedLine(record, scope, redactor, now), attributes)
          }
          if (batch.count % sliceLength === 0) await nextTurn()
        }
      }
    }
  }

  /** Counts what is kept of a trace. */
  #hasRoom(traceId: string): boolean {
    const count = this.#traces.get(traceId) ?? 0
    // As many as the page of a trace shows.
    if (count >= maxTraceSpans) return false
    this.#traces.set(traceId, count + 1)
    for (const oldest of this.#traces.keys()) {
      if (this.#traces.size <= maxTraces) break
      this.#traces.delete(oldest)
    }
    return true
  }

  #answer(signal: OtlpSignal, { kept, invalid, beyond }: Batch, isJson: boolean): Reply {
    const isTraces = signal === 'traces'
    const rejected = invalid + beyond
    this.#counts.requests += 1
    this.#counts[isTraces ? 'spans' : 'logRecords'] += kept
    this.#counts[isTraces ? 'rejectedSpans' : 'rejectedLogRecords'] += rejected
    if (rejected === 0) return replyOf(200, isTraces ? 'TraceResponse' : 'LogsResponse', {}, isJson)
    const reasons = [
      ...(invalid === 0
        ? []
        : [`${invalid} ${isTraces ? 'without a valid trace id, span id or start' : 'without a trace id'}`]),
      ...(beyond === 0 ? [] : [`${beyond} beyond the ${maxTraceSpans} that are kept of a trace`]),
    ]
    this.#problem = reasons.join(', ')
    const errorMessage = `Not kept: ${this.#problem}`
    return isTraces
      ? replyOf(200, 'TraceResponse', { partialSuccess: { rejectedSpans: String(rejected), errorMessage } }, isJson)
      : replyOf(200, 'LogsResponse', { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage } }, isJson)
  }

  #refuse({ status, code, message }: RefusedRequest, isJson: boolean): Reply {
    this.#counts.refused += 1
    this.#problem = message
    const reply = replyOf(status, 'RefusalStatus', { code, message }, isJson)
    if (status === 429) reply.setHeader('retry-after', '1')
    return reply
  }
}

/** What one request has sent, and what became of it. */
class Batch {
  readonly profiles: ReceivedProfiles
  readonly #hasRoom: (traceId: string) => boolean
  kept = 0
  /** Without what is needed to show them. */
  invalid = 0
  /** Spans of a trace that has too many. */
  beyond = 0

  constructor(profiles: ReceivedProfiles, hasRoom: (traceId: string) => boolean) {
    this.profiles = profiles
    this.#hasRoom = hasRoom
  }

  get count(): number {
    return this.kept + this.invalid + this.beyond
  }

  /** Whether one of a trace is kept; `undefined` for one of no trace. */
  take(traceId: string | undefined): boolean {
    const isKept = traceId !== undefined && this.#hasRoom(traceId)
    if (isKept) this.kept += 1
    else if (traceId === undefined) this.invalid += 1
    else this.beyond += 1
    return isKept
  }
}

function replyOf<Name extends MessageName>(
  status: number,
  name: Name,
  message: Messages[Name],
  isJson: boolean,
): Reply {
  const type = otlpContentTypes[isJson ? 'http/json' : 'http/protobuf']
  const body = isJson ? JSON.stringify(message) : encodeProtobuf(name, message)
  return new Reply(
    status,
    ['content-type', type, 'cache-control', 'no-store', 'x-content-type-options', 'nosniff'],
    body,
  )
}

/** Bytes of a body, as sent and decompressed. */
const maxBodyBytes: number = 16 * 1024 * 1024
/** Messages and their members in it, items of lists too. A span of an SDK has 30 to 100. */
const maxParts = 300_000

/** Why a request is not taken, in the form it was sent in. */
class RefusedRequest extends Error {
  readonly status: 400 | 413 | 415 | 429
  /** As in gRPC. */
  readonly code: number

  constructor(status: RefusedRequest['status'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = status === 413 || status === 429 ? 8 : 3
  }
}

/** Throws a RefusedRequest. */
async function bodyBytes(request: HttpRequest): Promise<Buffer> {
  const essence = essenceOf(request)
  if (!['application/x-protobuf', 'application/protobuf', 'application/json'].includes(essence)) {
    throw new RefusedRequest(415, 'The body must be application/x-protobuf or application/json')
  }
  return decompressed(await sentBytes(request), request.header('content-encoding') ?? '')
}

/** Throws a RefusedRequest. */
function read<Name extends MessageName>(name: Name, bytes: Buffer, isJson: boolean): Messages[Name] {
  try {
    return (isJson ? decodeJson : decodeProtobuf)(name, bytes, maxParts)
  } catch (cause) {
    if (!(cause instanceof OtlpReadError)) throw cause
    const status = cause instanceof OtlpBoundError ? 413 : 400
    throw new RefusedRequest(status, `The body cannot be read: ${cause.message}`, { cause })
  }
}

function essenceOf(request: HttpRequest): string {
  return parseMediaType(request.header('content-type')).essence
}

async function sentBytes(request: HttpRequest): Promise<Buffer> {
  request.body.limitTo(maxBodyBytes)
  try {
    return Buffer.from(await request.body.bytes())
  } catch (cause) {
    if (!(cause instanceof HttpError)) throw cause
    throw cause.statusCode === 413 ? tooLarge() : new RefusedRequest(400, cause.message, { cause })
  }
}

async function decompressed(bytes: Buffer, encoding: string): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return bytes
  if (name !== 'gzip') throw new RefusedRequest(415, 'The body may be compressed with gzip only')
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: maxBodyBytes })
  } catch (cause) {
    const { code } = membersOf(cause)
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new RefusedRequest(400, 'The body is not gzip', { cause })
  }
}

function tooLarge(): RefusedRequest {
  return new RefusedRequest(413, `The body has more than ${maxBodyBytes / 1024 / 1024} MB; send smaller batches`)
}
