// The body of an outgoing request or its response: its beginning as it was sent, and what a profile says of it.

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { parseMediaType } from '../../base/http/media-type.ts'
import { isTextual } from '../../http/recording/captured-body.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import type { RecordedOutgoingBody } from '../request-record.ts'
import type { KeptName } from '../../http/recording/recording.ts'

export interface CapturedOutgoingBody {
  /** Without parameters; empty where none was sent. */
  readonly mediaType: string
  /** Whether all of it is there. */
  readonly isWhole: boolean
  /** Decoded and masked, JSON written again; `null` for pictures and the like, and if it could not be decoded. */
  readonly text: string | null
}

/** The body that another framework sends. */
export const keptResponseName: KeptName<FirstBytes> = 'response-body'

/** Keeps the first bytes of what passes. */
export class FirstBytes {
  readonly #maxBytes: number
  readonly #chunks: Uint8Array[] = []
  #keptBytes = 0
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength
    const room = this.#maxBytes - this.#keptBytes
    if (room <= 0) return
    // Copied: the buffer belongs to the client.
    const kept = Uint8Array.from(chunk.subarray(0, room))
    this.#chunks.push(kept)
    this.#keptBytes += kept.byteLength
  }

  get kept(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** How many bytes passed. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many bytes passed that were not kept. */
  get droppedBytes(): number {
    return this.#bytes - this.#keptBytes
  }
}

/** `header` gives the value of a field beside the body. */
export function capturedOutgoingBody(
  { base64, isWhole }: RecordedOutgoingBody,
  header: (name: string) => string | undefined,
  redactor: Redactor,
): CapturedOutgoingBody {
  const mediaType = parseMediaType(header('content-type')).essence.slice(0, 100)
  const bytes = isTextual(mediaType)
    ? decodedBody(Buffer.from(base64, 'base64'), header('content-encoding'), isWhole)
    : null
  return { mediaType, isWhole, text: bytes === null ? null : maskedText(bytes, mediaType, isWhole, redactor) }
}

/** Bytes of a decoded body at most. */
const maxDecoded = 256 * 1024

/** `null` if it cannot be decoded; a part of a body can be only if nothing has to be. */
export function decodedBody(bytes: Buffer, encoding: string | undefined, isWhole: boolean): Buffer | null {
  const decode = decoders.get((encoding ?? 'identity').toLowerCase().trim())
  if (decode === undefined || (!isWhole && decode !== identity)) return null
  try {
    return decode(bytes)
  } catch {
    return null
  }
}

const identity = (bytes: Buffer): Buffer => bytes
const bound = { maxOutputLength: maxDecoded } as const
const decoders: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map([
  ['identity', identity],
  ['gzip', (bytes: Buffer) => gunzipSync(bytes, bound)],
  ['br', (bytes: Buffer) => brotliDecompressSync(bytes, bound)],
  ['deflate', (bytes: Buffer) => inflateSync(bytes, bound)],
  ['zstd', (bytes: Buffer) => zstdDecompressSync(bytes, bound)],
])

/** Characters of a text that is not JSON at most. */
const maxText = 32_768

function maskedText(bytes: Buffer, mediaType: string, isWhole: boolean, redactor: Redactor): string {
  const text = bytes.toString()
  if (mediaType === 'application/x-www-form-urlencoded') {
    return redactor
      .query(text)
      .map(([name, value]) => `${name}=${value}`)
      .join('&')
  }
  // What is not JSON is kept as it came: the mistake may be what the error is about.
  return (isWhole && /[+/]json$/.test(mediaType) ? maskedJson(text, redactor) : null) ?? redactor.text(text, maxText)
}

/** Masked by its keys and written again; `null` for what is not JSON. */
export function maskedJson(text: string, redactor: Redactor): string | null {
  try {
    return JSON.stringify(redactor.value(JSON.parse(text)))
  } catch {
    return null
  }
}
