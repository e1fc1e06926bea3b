// Watches a response of Node that other code makes: its head is decided when it is about to leave, its body passes on, gets the
// toolbar or is replaced, and its end is told.

import type { ClientRequest, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { BodyFollower } from '../capture/live-connection.ts'
import { define } from '../http/kernel/follow-call.ts'
import { nextTick, withBuiltins } from '../base/timing/builtins.ts'
import { runInExchange } from '../http/kernel/current-exchange.ts'
import type { Exchange, SentResponse } from '../http/kernel/exchange.ts'
import { tellField } from '../base/http/header-fields.ts'
import { hasLeft } from '../http/node/app-request.ts'

/** Name and value by turns; values as they were given. */
export type HeadFields = (string | OutgoingHttpHeader)[]

export interface ResponseHead {
  readonly status: number
  /** Default: the phrase of the status. */
  readonly message: string | undefined
  readonly fields: HeadFields
  /** Names in lower case that are set on the response and not given to `writeHead()`. */
  readonly set: ReadonlySet<string>
  /** Whether it is given a list. */
  readonly isList: boolean
}

/** The arguments of `writeHead()`. */
type HeadArguments = readonly [status: number, ...more: unknown[]]

/** Reads a head without changing it. `null` for arguments that Node itself has to judge. */
function readHead(response: ServerResponse, [status, ...more]: HeadArguments): ResponseHead | null {
  const [first, second] = more
  const message = typeof first === 'string' ? first : undefined
  const given = typeof first === 'string' ? second : (second ?? first)
  const fields = fieldsOf(given)
  if (fields === null || !Number.isInteger(status)) return null
  const phrase = message ?? (response.statusMessage || undefined)
  return { status, message: phrase, ...merge(response, fields), isList: Array.isArray(given) }
}

/**
 * What `writeHead()` is to be given for these fields to leave, without what is set as it is to leave: Node would set it again, and an application
 * may have put a function of its own in the place of `setHeader()`.
 */
function fieldsToGive(
  response: ServerResponse,
  { set, isList }: ResponseHead,
  fields: HeadFields,
): HeadFields | OutgoingHttpHeaders {
  const values = new Map<string, { readonly name: string; value: OutgoingHttpHeader }>()
  for (let index = 0; index < fields.length; index += 2) {
    const name = String(fields[index])
    const value = fields[index + 1] as OutgoingHttpHeader
    const known = values.get(name.toLowerCase())
    if (known === undefined) values.set(name.toLowerCase(), { name, value })
    else known.value = [known.value, value].flat().map(String)
  }
  for (const name of set) {
    const known = values.get(name)
    if (known !== undefined && String(response.getHeader(name)) === String(known.value)) values.delete(name)
  }
  if (isList) return fields.filter((_, index) => values.has(String(fields[index - (index % 2)]).toLowerCase()))
  const record: Record<string, OutgoingHttpHeader> = Object.create(null)
  for (const { name, value } of values.values()) record[name] = value
  return record
}

function fieldsOf(given: unknown): HeadFields | null {
  if (given === undefined || given === null) return []
  if (typeof given !== 'object') return null
  if (!Array.isArray(given)) {
    return Object.entries(given as OutgoingHttpHeaders).flatMap(([name, value]) => split(name, value))
  }
  const list: readonly unknown[] = given
  const flat = Array.isArray(list[0]) ? list.flat(1) : list
  if (flat.length % 2 !== 0) return null
  const fields: HeadFields = []
  for (let index = 0; index < flat.length; index += 2) {
    fields.push(...split(String(flat[index]), flat[index + 1] as OutgoingHttpHeader | undefined))
  }
  return fields
}

/** A field with several values is several fields. A value that is missing stays, for Node to refuse. */
function split(name: string, value: OutgoingHttpHeader | undefined): HeadFields {
  return Array.isArray(value) ? value.flatMap((one) => [name, one]) : [name, value as OutgoingHttpHeader]
}

/** Every outgoing message has it; the types know it of requests only. */
type RawNames = ServerResponse & Pick<ClientRequest, 'getRawHeaderNames'>

/** What `writeHead()` is given takes the place of what was set under the same names. */
function merge(response: ServerResponse, given: HeadFields): Pick<ResponseHead, 'fields' | 'set'> {
  const names = new Set<string>()
  for (let index = 0; index < given.length; index += 2) names.add(String(given[index]).toLowerCase())
  const fields: HeadFields = []
  const set = new Set<string>()
  for (const name of (response as RawNames).getRawHeaderNames()) {
    if (names.has(name.toLowerCase())) continue
    set.add(name.toLowerCase())
    fields.push(...split(name, response.getHeader(name)))
  }
  fields.push(...given)
  return { fields, set }
}

/** A page that comes in pieces and leaves with something added. */
interface PageInPieces {
  /** Takes the next piece, and gives what may leave already. */
  take(chunk: Buffer): Buffer
  /** The rest. */
  end(): readonly Buffer[]
}

/** What leaves in place of a head, and what becomes of the body. */
export interface DecidedHead {
  readonly status: number
  readonly message: string | undefined
  readonly fields: HeadFields
  /** Fields that were there and do not leave, in lower case. */
  readonly left: readonly string[]
  /** `undefined`: the body passes as it is. A string takes its place. */
  readonly body: PageInPieces | string | undefined
  /** Default: nobody wants to see the body. */
  readonly follower?: BodyFollower | undefined
}

interface ResponseWatcher {
  /** Whether the body may change: if not, Node's own way is left as it is. */
  mayChange(): boolean
  /** Called when the head is about to leave, with the first bytes of the body where they are known. Must not throw. */
  decide(head: ResponseHead, beginning: Buffer | undefined): DecidedHead
  headLeft(): void
  /** Called once, when the response is closed. Must not throw. */
  closed(sent: SentResponse): void
}

type Callback = (error?: Error | null) => void

export class WatchedResponse {
  readonly #response: ServerResponse
  readonly #exchange: Exchange
  readonly #watcher: ResponseWatcher
  /** The methods as they were. */
  readonly #own: Pick<ServerResponse, 'writeHead' | 'write' | 'end' | 'emit'>
  /** What leaves in place of the body, where all of it is known before the head leaves. */
  #whole: Buffer | undefined
  #beginning: Buffer | undefined
  /** Whether a head is decided and does not leave yet; what sends it. */
  #isHeld = false
  #send: (() => unknown) | undefined
  #decided: DecidedHead | undefined
  #bytes = 0
  #isClosed = false

  constructor(response: ServerResponse, exchange: Exchange, watcher: ResponseWatcher) {
    this.#response = response
    this.#exchange = exchange
    this.#watcher = watcher
    const { writeHead, write, end, emit } = response
    this.#own = { writeHead, write, end, emit }
    for (const name of ['setHeader', 'appendHeader'] as const) {
      const method = response[name]
      define(response, name, (...given: [string, unknown]): unknown => {
        tellField(...given)
        return Reflect.apply(method, response, given)
      })
    }
    define(response, 'writeHead', (...given: [number, ...unknown[]]) => withBuiltins(() => this.#headLeaves(given)))
    define(response, 'write', (...given: unknown[]) => this.#bodyLeaves(given))
    define(response, 'end', (...given: unknown[]) => withBuiltins(() => this.#endLeaves(given)))
    // What listens to a response runs on behalf of its request.
    define(response, 'emit', (...given: [string, ...unknown[]]) => this.#emitted(given))
  }

  #headLeaves(given: HeadArguments): unknown {
    const response = this.#response
    const head = response.headersSent || this.#decided !== undefined ? null : readHead(response, given)
    if (head === null) return Reflect.apply(this.#own.writeHead, response, given)
    const decided = (this.#decided = this.#watcher.decide(head, this.#beginning))
    const send = (): unknown => this.#sendHead(decided, head)
    if (!this.#isHeld) return send()
    this.#send = send
    return response
  }

  #sendHead(decided: DecidedHead, head: ResponseHead): unknown {
    for (const name of decided.left) this.#response.removeHeader(name)
    const fields = fieldsToGive(this.#response, head, this.#framed(decided))
    try {
      const { status, message } = decided
      const result: unknown = Reflect.apply(
        this.#own.writeHead,
        this.#response,
        message === undefined ? [status, fields] : [status, message, fields],
      )
      this.#watcher.headLeft()
      return result
    } catch (error) {
      // Node refused it: another head may follow.
      this.#decided = this.#whole = undefined
      throw error
    }
  }

  /** Node tells the length of a body that leaves with its head, unless its field was set or removed. */
  #framed({ fields, left, body }: DecidedHead): HeadFields {
    if (body === undefined) return fields
    if (typeof body === 'string') this.#whole ??= Buffer.from(body)
    if (this.#whole !== undefined) {
      const isTold = typeof body === 'string' || left.includes('content-length')
      return isTold ? [...fields, 'content-length', this.#whole.byteLength] : fields
    }
    const { statusCode, req } = this.#response
    const mayBeChunked = req.httpVersion === '1.1' && req.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304
    // The length is not known: chunked, also if the application told Node a length beside the fields.
    return hasFraming(fields) || !mayBeChunked ? fields : [...fields, 'transfer-encoding', 'chunked']
  }

  #bodyLeaves(given: unknown[]): unknown {
    const response = this.#response
    const beginning = this.#mayDecide() ? bufferOf(given) : undefined
    if (beginning !== undefined) {
      this.#beginning = beginning
      response.writeHead(response.statusCode)
    }
    const body = this.#decided?.body
    const chunk = body === undefined ? undefined : bufferOf(given)
    if (body === undefined || chunk === undefined) {
      this.#bytes += sizeOf(given)
      const result: unknown = Reflect.apply(this.#own.write, response, given)
      this.#seen(given)
      return result
    }
    const passed = typeof body === 'string' ? noBytes : body.take(chunk)
    if (passed.byteLength > 0) {
      this.#bytes += passed.byteLength
      return Reflect.apply(this.#own.write, response, [passed, callbackOf(given)])
    }
    const callback = callbackOf(given)
    if (callback !== undefined) nextTick(callback)
    return true
  }

  #endLeaves(given: unknown[]): unknown {
    const response = this.#response
    const sendHead = this.#mayDecide() ? this.#hold(given) : undefined
    if (sendHead === undefined) return this.#endDecided(given)
    const { writeHead } = response
    define(response, 'writeHead', sendHead)
    try {
      return this.#endDecided(given)
    } finally {
      define(response, 'writeHead', writeHead)
    }
  }

  /** Decides with the whole body, and gives what sends the head: Node asks for it when it has the body that leaves. */
  #hold(given: unknown[]): (() => unknown) | undefined {
    const response = this.#response
    const hasNone = given[0] === undefined || given[0] === null || typeof given[0] === 'function'
    const whole = hasNone ? noBytes : bufferOf(given)
    if (whole === undefined) return undefined
    this.#beginning = whole
    this.#isHeld = true
    try {
      response.writeHead(response.statusCode)
    } finally {
      this.#isHeld = false
    }
    const decided = this.#decided
    if (decided === undefined || response.headersSent) return undefined
    const { body } = decided
    if (body !== undefined) this.#whole = typeof body === 'string' ? Buffer.from(body) : this.#rest(body, whole)
    return this.#send
  }

  #endDecided(given: unknown[]): unknown {
    const response = this.#response
    const body = this.#decided?.body
    if (body === undefined || response.writableEnded) {
      this.#bytes += sizeOf(given)
      const result: unknown = Reflect.apply(this.#own.end, response, given)
      // Node may have asked for the head only now.
      this.#seen(given)
      return result
    }
    const rest = this.#whole ?? (typeof body === 'string' ? noBytes : this.#rest(body, bufferOf(given)))
    this.#bytes += rest.byteLength
    return Reflect.apply(this.#own.end, response, [rest, callbackOf(given)])
  }

  /** Whether the head can still leave with another body. */
  #mayDecide(): boolean {
    const { headersSent, writableEnded } = this.#response
    return !headersSent && !writableEnded && this.#watcher.mayChange()
  }

  #seen(given: readonly unknown[]): void {
    const follower = this.#decided?.follower
    const chunk = follower === undefined ? undefined : bufferOf(given)
    if (chunk !== undefined) follower?.take(chunk)
  }

  #rest(body: PageInPieces, chunk: Buffer | undefined): Buffer {
    return Buffer.concat([chunk === undefined ? noBytes : body.take(chunk), ...body.end()])
  }

  #emitted(given: [string, ...unknown[]]): boolean {
    return runInExchange(this.#exchange, () => {
      try {
        return Reflect.apply(this.#own.emit, this.#response, given)
      } finally {
        if (given[0] === 'close') this.close()
      }
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const bytes = this.#response.req.method === 'HEAD' ? 0 : this.#bytes
    this.#decided?.follower?.end()
    this.#watcher.closed({ bytes, aborted: !hasLeft(this.#response) })
  }
}

const noBytes: Buffer = Buffer.alloc(0)

function hasFraming(fields: HeadFields): boolean {
  return fields.some((name, index) => {
    if (index % 2 !== 0) return false
    const lower = String(name).toLowerCase()
    return lower === 'content-length' || lower === 'transfer-encoding'
  })
}

/** The chunk of `write(chunk, encoding, callback)`; `undefined` if there is none, or Node has to refuse it. */
function bufferOf([chunk, encoding]: readonly unknown[]): Buffer | undefined {
  if (typeof chunk === 'string') {
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
  }
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  return undefined
}

function sizeOf([chunk, encoding]: readonly unknown[]): number {
  if (typeof chunk === 'string') {
    return Buffer.byteLength(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
  }
  return chunk instanceof Uint8Array ? chunk.byteLength : 0
}

function callbackOf(given: readonly unknown[]): Callback | undefined {
  return given.find((value): value is Callback => typeof value === 'function')
}
