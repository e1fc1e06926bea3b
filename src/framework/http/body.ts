// The body of a request, read at most once and never beyond its limit. Bytes come from the adapter's stream; what is left
// unread is the adapter's to drain.

import type { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { brokenOff, collectBody, failing, tooLarge, withStackOfNow } from './collect-body.ts'
import { parseForm, type FormFields } from './form.ts'
import { HttpError } from './http-error.ts'
import { parseJson } from './json-syntax.ts'
import { decodeText, parseMediaType, textDecoder, type MediaType } from './media-type.ts'

/** What a body is made of. */
export interface RequestBodyParts {
  /** The bytes as they arrive; `null` when the request has no body. */
  readonly stream: Readable | null
  /** `Content-Type` as sent. */
  readonly contentType: string | undefined
  /** `Content-Length`, where one was sent. */
  readonly contentLength: number | undefined
  /** `Content-Encoding` as sent. Nothing is decompressed: anything but `identity` is a 415, save for `bytes()` and `stream()`. */
  readonly contentEncoding?: string | undefined
  /** More bytes than this are a 413. */
  readonly maxBytes: number
}

/** Where a body was read first: the cause of a `BodyAlreadyReadError`, where the place is known. Never thrown. */
export class FirstBodyRead extends Error {
  constructor() {
    super('The body was read here first')
  }
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'FirstBodyRead', configurable: true, writable: true })
  }
}

/** The body was read before, and bytes pass only once. A mistake of the application, so the client gets 500. */
export class BodyAlreadyReadError extends Error {
  /** `first` tells where it was read before; it becomes the cause. Default: unknown. */
  constructor(first?: FirstBodyRead) {
    const message = 'The body of this request was read already; it can be read once, keep what the first read gave'
    super(message, first === undefined ? undefined : { cause: first })
  }
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'BodyAlreadyReadError', configurable: true, writable: true })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_BODY_ALREADY_READ' {
    return 'ERR_BODY_ALREADY_READ'
  }
}

/** The beginning of a body, as far as it was kept while somebody read it. */
export interface KeptBytes {
  readonly bytes: Uint8Array
  /** How many bytes were read in all. */
  readonly readBytes: number
  /** Whether the end was reached. */
  readonly isComplete: boolean
}

/** What is noted of the reading of a body, asked when it begins. */
export interface BodyWatch {
  /** How many bytes of its beginning are kept. */
  keepBytes(): number
  /** Whether the place is noted, for the error of a second read. */
  notesPlace(): boolean
}

/** Reads a request's body once. Every method rejects with a 413 beyond the limit and a 400 when the client went away. */
export class RequestBody {
  readonly #parts: RequestBodyParts
  #isTaken = false
  #watch: BodyWatch | undefined
  #firstRead: FirstBodyRead | undefined
  #kept: { bytes: Uint8Array; readBytes: number; isComplete: boolean } | undefined

  constructor(parts: RequestBodyParts) {
    this.#parts = parts
  }

  /** For debug: notes of the reading what is asked for. Does nothing to a body that is empty. */
  watch(watch: BodyWatch): void {
    if (!this.isEmpty) this.#watch = watch
  }

  /** What was kept of the body; `undefined` while nobody reads it, and where nothing is to be kept. */
  get kept(): KeptBytes | undefined {
    return this.#kept
  }

  /** `Content-Type` as sent. */
  get contentType(): string | undefined {
    return this.#parts.contentType
  }

  /** `Content-Length`, where one was sent. */
  get contentLength(): number | undefined {
    return this.#parts.contentLength
  }

  /** Whether the request has no body at all. A body of length 0 counts as empty too. */
  get isEmpty(): boolean {
    return this.#parts.stream === null || this.#parts.contentLength === 0
  }

  /** Whether something has read the body, or begun to. */
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

  /** The bytes as sent; empty where there is no body. */
  async bytes(): Promise<Uint8Array> {
    return this.#read(asTheyAre)
  }

  /** The bytes as a web stream, with the same limit. The body counts as read from the first pull on. `null` where there is no body. */
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

  /** What is made of the whole body, as its last byte comes: a promise for each step would cost more than the step. */
  #read<T>(make: (bytes: Buffer) => T): Promise<T> {
    if (this.isEmpty) return new Promise((resolve) => resolve(make(noBytes)))
    const { stream, seen } = this.#take()
    return new Promise((resolve) => {
      const fail = (failure: () => unknown): void => resolve(failing(failure))
      collectBody(stream, this.#parts.maxBytes, {
        done: (bytes) => {
          if (this.#kept !== undefined) this.#kept.isComplete = true
          try {
            resolve(make(bytes))
          } catch (error) {
            fail(() => withStackOfNow(error))
          }
        },
        failed: fail,
        seen,
      })
    })
  }

  /** The stream of a body that is not empty, for the one who may read it. Throws for a second one, and a 413 for a length beyond the limit. */
  #take(): { stream: Readable; seen: ((chunk: Uint8Array, length: number) => void) | null } {
    const { stream, contentLength, maxBytes } = this.#parts
    if (this.#isTaken || stream === null) throw new BodyAlreadyReadError(this.#firstRead)
    this.#isTaken = true
    const keepBytes = this.#noteRead()
    if (contentLength !== undefined && contentLength > maxBytes) throw tooLarge(maxBytes)
    return { stream, seen: keepBytes > 0 ? (chunk, length) => this.#keep(chunk, length, keepBytes) : null }
  }

  // The stream is left as it is when reading stops early: destroying it would take the connection, and the answer, with it.
  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const { stream, seen } = this.#take()
    let length = 0
    for await (const chunk of untilClosed(stream)) {
      length += chunk.byteLength
      if (length > this.#parts.maxBytes) throw tooLarge(this.#parts.maxBytes)
      seen?.(chunk, length)
      yield chunk
    }
    if (this.#kept !== undefined) this.#kept.isComplete = true
  }

  /** Notes the place of the first read where that is asked for. Gives how much to keep. */
  #noteRead(): number {
    if (this.#watch?.notesPlace() === true) this.#firstRead = new FirstBodyRead()
    const keepBytes = this.#watch?.keepBytes() ?? 0
    if (keepBytes > 0) this.#kept = { bytes: new Uint8Array(0), readBytes: 0, isComplete: false }
    return keepBytes
  }

  #keep(chunk: Uint8Array, readBytes: number, keepBytes: number): void {
    if (this.#kept === undefined) return
    const left = keepBytes - this.#kept.bytes.byteLength
    if (left > 0) this.#kept.bytes = Buffer.concat([this.#kept.bytes, chunk.subarray(0, left)])
    this.#kept.readBytes = readBytes
  }

  #mediaType(): MediaType {
    return parseMediaType(this.#parts.contentType)
  }

  /** Whether the bytes are compressed or otherwise encoded. */
  get isEncoded(): boolean {
    return this.#encoding !== '' && this.#encoding !== 'identity'
  }

  get #encoding(): string {
    return this.#parts.contentEncoding?.trim().toLowerCase() ?? ''
  }

  #refuseEncoding(): void {
    const encoding = this.#encoding
    if (!this.isEncoded || this.isEmpty) return
    throw new HttpError(415, `The body is encoded as "${encoding.slice(0, 100)}"; send it without Content-Encoding`, {
      headers: { 'Accept-Encoding': 'identity' },
    })
  }
}

/** The body of a request that has none. It holds nothing of a request, so all of them share it. */
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
  return new HttpError(415, `The body ${sent.slice(0, 200)}; send ${wanted} in UTF-8`)
}
