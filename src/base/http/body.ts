// The body of a request, read at most once and never beyond its limit. The server drains what is left unread; files of forms are
// refused.

import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { FirstBytes } from './first-bytes.ts'
import { clientError, HttpError, nameError } from './http-error.ts'
import { parseJson } from './json.ts'
import { decodeText, parseMediaType, textDecoder, type MediaType } from './media-type.ts'
import { parseQuery, type QueryFields } from './query.ts'

export interface RequestBodyParts {
  /** The bytes as they arrive; `null` when the request has no body. */
  readonly stream: Readable | null
  /** `Content-Type` as sent. */
  readonly contentType: string | undefined
  /** `Content-Length`, where one was sent. */
  readonly contentLength: number | undefined
  /** `Content-Encoding` as sent. Nothing is decompressed: all but `identity` is a 415, except for `bytes()` and `stream()`. */
  readonly contentEncoding?: string | undefined
  /** A larger body is a 413. */
  readonly maxBytes: number
}

/** Marks where a body was read first. Never thrown: it is the cause of a `BodyAlreadyReadError`. */
export class FirstBodyRead extends Error {
  constructor() {
    super('The body was read here first')
  }
}
nameError(FirstBodyRead)

/** The body was read before: a bug of the application, so the client gets a 500. */
export class BodyAlreadyReadError extends Error {
  declare readonly code: 'ERR_BODY_ALREADY_READ'
  /** `first`: where it was read before; becomes the cause. Default: unknown. */
  constructor(first?: FirstBodyRead) {
    const message = 'The body of this request was read already; it can be read once, keep what the first read gave'
    super(message, first === undefined ? undefined : { cause: first })
  }
}
nameError(BodyAlreadyReadError, 'ERR_BODY_ALREADY_READ')

/** Called at the first read: whether the beginning is kept, and whether the place is noted, too, for the error of a second read, and a digest made. */
export type BodyWatch = () => 'recorded' | 'kept' | undefined

/** Reads a request's body once. Every method rejects with a 413 beyond the limit and with a 400 if the client goes away. */
export class RequestBody {
  readonly #parts: RequestBodyParts
  #maxBytes: number
  #isTaken = false
  #watch: BodyWatch | undefined
  #firstRead: FirstBodyRead | undefined
  #digest: string | undefined
  #seen: FirstBytes | undefined

  constructor(parts: RequestBodyParts) {
    this.#parts = parts
    this.#maxBytes = parts.maxBytes
  }

  /** Sets the limit that the next read keeps. Does nothing for an empty body. */
  limitTo(maxBytes: number): void {
    if (!this.isEmpty) this.#maxBytes = maxBytes
  }

  /** Whether it is being read and has not arrived as a whole. */
  get isArriving(): boolean {
    return this.#isTaken && this.#parts.stream?.readableEnded === false
  }

  /** In debug: keeps what `watch` asks for. Does nothing for an empty body. */
  watch(watch: BodyWatch): void {
    if (!this.isEmpty) this.#watch = watch
  }

  /** What was read, whether or not a profile shows it; `undefined` before, and if nothing is kept. */
  get seen(): FirstBytes | undefined {
    return this.#seen
  }

  /** Equal for equal bodies; `undefined` unless the request is recorded, and the body was read as a whole. */
  get digest(): string | undefined {
    return this.isEmpty ? '' : this.#digest
  }

  /** `Content-Type` as sent. */
  get contentType(): string | undefined {
    return this.#parts.contentType
  }

  /** `Content-Length`, where one was sent. */
  get contentLength(): number | undefined {
    return this.#parts.contentLength
  }

  /** Whether the request has no body, or one of length 0. */
  get isEmpty(): boolean {
    return this.#parts.stream === null || this.#parts.contentLength === 0
  }

  get isRead(): boolean {
    return this.#isTaken
  }

  /** Parses JSON. 415 unless the type is `application/json` or `…+json` in UTF-8; 400 with the position of a syntax error. */
  json(): Promise<unknown> {
    try {
      const type = this.#mediaType()
      if (!this.isEmpty && !isJson(type)) throw unsupported(type, 'application/json')
      this.#refuseEncoding()
      return this.#read(jsonOf)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Fields of a form, `application/x-www-form-urlencoded` or the text fields of `multipart/form-data`; else 415. An empty body has none. */
  async form(): Promise<FormFields> {
    if (this.isEmpty) return new Map()
    this.#refuseEncoding()
    return parseForm(this.#mediaType(), this.#parts.contentType ?? '', () => this.bytes())
  }

  /** The body as text in the charset it names, UTF-8 if none. 415 for an unknown charset, 400 for bytes that are not in it. */
  async text(): Promise<string> {
    this.#refuseEncoding()
    const decoder = textDecoder(this.#mediaType().charset)
    return this.#read((bytes) => decodeText(bytes, decoder))
  }

  /** The raw bytes; empty if there is no body. */
  async bytes(): Promise<Uint8Array> {
    return this.#read(asTheyAre)
  }

  /** The bytes as a web stream, with the same limit; `null` if there is no body. The body counts as read after the first pull. */
  stream(): ReadableStream<Uint8Array> | null {
    if (this.isEmpty) return null
    const chunks = this.#chunks()
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const next = await chunks.next()
          if (next.done === true) controller.close()
          else controller.enqueue(next.value)
        },
        async cancel() {
          await chunks.return(undefined)
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Reads the whole body and converts it. */
  #read<T>(make: (bytes: Buffer) => T): Promise<T> {
    if (this.isEmpty) return new Promise((resolve) => resolve(make(noBytes)))
    const stream = this.#take()
    return new Promise((resolve) => {
      const fail = (failure: () => unknown): void => resolve(failing(failure))
      collectBody(stream, this.#maxBytes, {
        done: (bytes) => {
          if (this.#seen !== undefined) this.#seen.isComplete = true
          if (this.#firstRead !== undefined) this.#digest = hash('sha256', bytes)
          try {
            resolve(make(bytes))
          } catch (error) {
            fail(() => withStackOfNow(error))
          }
        },
        failed: fail,
        seen: this.#seen,
      })
    })
  }

  /** Claims the stream. Throws if it is claimed already, and a 413 for a declared length beyond the limit. */
  #take(): Readable {
    const { stream, contentLength } = this.#parts
    if (this.#isTaken || stream === null) throw new BodyAlreadyReadError(this.#firstRead)
    this.#isTaken = true
    const watched = this.#watch?.()
    if (watched === 'recorded') this.#firstRead = new FirstBodyRead()
    if (watched !== undefined) this.#seen = new FirstBytes()
    if (contentLength !== undefined && contentLength > this.#maxBytes) throw tooLarge(this.#maxBytes)
    return stream
  }

  // The stream is not destroyed when reading stops early: that would close the connection before the response.
  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    let length = 0
    for await (const chunk of untilClosed(this.#take())) {
      length += chunk.byteLength
      if (length > this.#maxBytes) throw tooLarge(this.#maxBytes)
      this.#seen?.add(chunk)
      yield chunk
    }
    if (this.#seen !== undefined) this.#seen.isComplete = true
  }

  #mediaType(): MediaType {
    return parseMediaType(this.#parts.contentType)
  }

  /** In lower case; empty where none was sent. */
  get encoding(): string {
    return this.#parts.contentEncoding?.trim().toLowerCase() ?? ''
  }

  #refuseEncoding(): void {
    const { encoding } = this
    if (encoding === '' || encoding === 'identity' || this.isEmpty) return
    throw clientError(415, `The body is encoded as "${encoding.slice(0, 100)}"; send it without Content-Encoding`, {
      headers: { 'Accept-Encoding': 'identity' },
    })
  }
}

export const emptyBody: RequestBody = new RequestBody({
  stream: null,
  contentType: undefined,
  contentLength: undefined,
  maxBytes: 0,
})

async function* untilClosed(stream: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: AsyncIterableIterator<Uint8Array> = stream.iterator({ destroyOnReturn: false })
  try {
    yield* chunks
  } catch (cause) {
    throw brokenOff(cause)
  }
}

const noBytes: Buffer = Buffer.alloc(0)

const asTheyAre = (bytes: Buffer): Uint8Array => bytes

const jsonOf = (bytes: Buffer): unknown => parseJson(decodeText(bytes, textDecoder('utf-8')))

function isJson(type: MediaType): boolean {
  const isJsonType = type.essence === 'application/json' || type.essence.endsWith('+json')
  return isJsonType && (type.charset === 'utf-8' || type.charset === 'utf8')
}

function unsupported(type: MediaType, wanted: string): HttpError {
  const sent = type.essence === '' ? 'names no type' : `is of type "${type.essence}" in ${type.charset}`
  return clientError(415, `The body ${sent.slice(0, 200)}; send ${wanted} in UTF-8`)
}

/** Fields of a form in the order of their first appearance; a name may hold several values. */
export type FormFields = QueryFields

/** Throws a 415 for another type, a file, or a charset other than UTF-8, and a 400 for a malformed form. */
export async function parseForm(
  type: MediaType,
  contentType: string,
  readBytes: () => Promise<Uint8Array>,
): Promise<FormFields> {
  switch (type.essence) {
    case 'application/x-www-form-urlencoded': {
      if (type.charset !== 'utf-8' && type.charset !== 'utf8') {
        throw clientError(415, `The form is in charset "${type.charset.slice(0, 100)}"; send it in UTF-8`)
      }
      return parseQuery(Buffer.from(await readBytes()).toString('utf8'))
    }
    case 'multipart/form-data':
      return parseMultipart(contentType, await readBytes())
    default:
      throw clientError(
        415,
        `The body ${type.essence === '' ? 'names no type' : `is of type "${type.essence.slice(0, 100)}"`}; ` +
          'send application/x-www-form-urlencoded or multipart/form-data',
      )
  }
}

async function parseMultipart(contentType: string, bytes: Uint8Array): Promise<FormFields> {
  const fields = new Map<string, string[]>()
  for (const [name, value] of await readFormData(contentType, bytes)) {
    if (typeof value !== 'string') {
      const detail = `The form holds the file "${name.slice(0, 100)}"`
      const message = `${detail}; form() reads text fields, read files with request.toFetch().formData()`
      throw new HttpError(415, message, { problem: { detail } })
    }
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  return fields
}

async function readFormData(contentType: string, bytes: Uint8Array): Promise<FormData> {
  try {
    return await new Response(Buffer.from(bytes), { headers: { 'content-type': contentType } }).formData()
  } catch (cause) {
    throw clientError(400, 'The body is not valid multipart/form-data', { cause })
  }
}

type BodyFailure = () => HttpError

/** Receives the bytes. Exactly one of `done` and `failed` is called, once; neither may throw. */
interface BodyTaker {
  done(bytes: Buffer): void
  failed(failure: BodyFailure): void
  /** Gets each chunk. */
  readonly seen: FirstBytes | undefined
}

/** Reads a stream: fails with a 413 beyond `maxBytes`, and with a 400 when it breaks off. A stream that failed is paused, not destroyed. */
export function collectBody(stream: Readable, maxBytes: number, taker: BodyTaker): void {
  if (stream.readableEnded) return taker.done(noBytes)
  if (stream.destroyed) return taker.failed(() => brokenOff(stream.errored))
  let first: Buffer | undefined
  let all: Buffer[] | undefined
  let length = 0
  let isOver = false
  stream.on('data', onData)
  stream.on('end', onEnd)
  // Without this listener a late error would end the process.
  stream.on('error', onBreak)
  stream.on('close', onBreak)
  if (stream.isPaused()) stream.resume()

  function onData(sent: unknown): void {
    const chunk = toBuffer(sent, stream)
    length += chunk.byteLength
    if (length > maxBytes) {
      isOver = true
      stream.off('data', onData)
      stream.pause()
      taker.failed(() => tooLarge(maxBytes))
      return
    }
    if (first === undefined) first = chunk
    else if (all === undefined) all = [first, chunk]
    else all.push(chunk)
    taker.seen?.add(chunk)
  }

  function onEnd(): void {
    if (isOver) return
    isOver = true
    taker.done(all === undefined ? (first ?? noBytes) : Buffer.concat(all, length))
  }

  function onBreak(error?: unknown): void {
    if (isOver) return
    isOver = true
    taker.failed(() => brokenOff(error ?? stream.errored))
  }
}

/** The error for a body beyond its limit. */
export function tooLarge(maxBytes: number): HttpError {
  return clientError(413, `The body is larger than ${maxBytes} bytes`)
}

/** The error for a body that ended early. `cause`: the error of the stream, if any. */
export function brokenOff(cause: unknown): HttpError {
  const message = 'The client closed the connection before the body was complete'
  return cause === undefined || cause === null ? new HttpError(400, message) : new HttpError(400, message, { cause })
}

/** A stream may have been told to decode its chunks, or consist of other arrays. */
function toBuffer(chunk: unknown, stream: Readable): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk
  if (typeof chunk === 'string') return Buffer.from(chunk, stream.readableEncoding ?? 'utf8')
  const { buffer, byteOffset, byteLength } = chunk as Uint8Array
  return Buffer.from(buffer, byteOffset, byteLength)
}

/**
 * A promise that rejects with what `failure` makes. Events end far from the code that awaits them; this way the stack names that
 * code, as in async functions.
 */
export async function failing(failure: () => unknown): Promise<never> {
  // A promise that is resolved with this one subscribes one turn later.
  await Promise.resolve()
  await Promise.resolve()
  throw failure()
}

/** Gives an error from an event the current stack. */
export function withStackOfNow(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, withStackOfNow)
  return error
}
