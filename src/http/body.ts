// The body of a request, read at most once and never beyond its limit. Bytes come from the adapter's stream; what is left
// unread is the adapter's to drain.

import type { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { TextDecoder } from 'node:util'
import { parseForm, type FormFields } from './form.ts'
import { HttpError } from './http-error.ts'
import { parseJson } from './json-syntax.ts'
import { parseMediaType, type MediaType } from './media-type.ts'

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

/** The body was read before, and bytes pass only once. A mistake of the application, so the client gets 500. */
export class BodyAlreadyReadError extends Error {
  constructor() {
    super('The body of this request was read already; it can be read once, keep what the first read gave')
  }
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'BodyAlreadyReadError', configurable: true, writable: true })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_BODY_ALREADY_READ' {
    return 'ERR_BODY_ALREADY_READ'
  }
}

/** Reads a request's body once. Every method rejects with a 413 beyond the limit and a 400 when the client went away. */
export class RequestBody {
  readonly #parts: RequestBodyParts
  #isTaken = false

  constructor(parts: RequestBodyParts) {
    this.#parts = parts
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
  async json(): Promise<unknown> {
    const type = this.#mediaType()
    if (!this.isEmpty && !isJson(type)) throw unsupported(type, 'application/json')
    const text = await this.text()
    if (text.trim() === '') throw new HttpError(400, 'The body is empty; a JSON document is expected')
    return parseJson(text)
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
    const decoder = makeDecoder(this.#mediaType().charset)
    const bytes = await this.bytes()
    try {
      return decoder.decode(bytes)
    } catch {
      throw new HttpError(400, `The body is not valid ${decoder.encoding}`)
    }
  }

  /** The bytes as sent; empty where there is no body. */
  async bytes(): Promise<Uint8Array> {
    if (this.isEmpty) return new Uint8Array(0)
    const chunks: Uint8Array[] = []
    for await (const chunk of this.#chunks()) chunks.push(chunk)
    return Buffer.concat(chunks)
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

  // The stream is left as it is when reading stops early: destroying it would take the connection, and the answer, with it.
  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const { stream, contentLength, maxBytes } = this.#parts
    if (this.#isTaken) throw new BodyAlreadyReadError()
    this.#isTaken = true
    if (stream === null) return
    if (contentLength !== undefined && contentLength > maxBytes) throw tooLarge(maxBytes)
    let length = 0
    for await (const chunk of untilClosed(stream)) {
      length += chunk.byteLength
      if (length > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  }

  #mediaType(): MediaType {
    return parseMediaType(this.#parts.contentType)
  }

  #refuseEncoding(): void {
    const encoding = this.#parts.contentEncoding?.trim().toLowerCase() ?? ''
    if (encoding === '' || encoding === 'identity' || this.isEmpty) return
    throw new HttpError(415, `The body is encoded as "${encoding.slice(0, 100)}"; send it without Content-Encoding`, {
      headers: ['Accept-Encoding', 'identity'],
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
    throw new HttpError(400, 'The client closed the connection before the body was complete', { cause })
  }
}

function makeDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    throw new HttpError(415, `The body is in charset "${charset.slice(0, 100)}", which is not known; send it in UTF-8`)
  }
}

function isJson(type: MediaType): boolean {
  const isJsonType = type.essence === 'application/json' || type.essence.endsWith('+json')
  return isJsonType && (type.charset === 'utf-8' || type.charset === 'utf8')
}

function unsupported(type: MediaType, wanted: string): HttpError {
  const sent = type.essence === '' ? 'names no type' : `is of type "${type.essence}" in ${type.charset}`
  return new HttpError(415, `The body ${sent.slice(0, 200)}; send ${wanted} in UTF-8`)
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `The body is larger than ${maxBytes} bytes`)
}
