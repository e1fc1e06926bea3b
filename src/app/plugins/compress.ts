// Compression as a plugin: bodies leave in an encoding that the client takes.

import { Readable } from 'node:stream'
import type { Plugin } from '../options.ts'
import { acceptedEncodings, bodyFields, parseMediaType } from '../../base/http/media-type.ts'
import { discard, isStream, Reply, type ReplyBody, addVary } from '../../base/http/reply.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import { checkOptions, listOf, wholeNumberRule } from '../../base/options/check-options.ts'
import type { Encoding, encodeStream, encodeWhole } from './encode-body.ts'

/** What `compress` takes. */
export interface CompressOptions {
  /** Encodings to use; of those that a client likes equally the first one counts. Default: `br`, `zstd`, `gzip`. */
  readonly encodings?: readonly ('br' | 'zstd' | 'gzip')[]
  /** Smaller bodies leave as they are, in bytes. Default: 1024. */
  readonly thresholdBytes?: number
  /**
   * Media types to compress; `text/*` for all of a kind. Default: text, JSON, JavaScript, XML, SVG, WebAssembly and TrueType fonts, but no
   * `text/event-stream`.
   */
  readonly types?: readonly string[]
}

const known: readonly string[] = ['br', 'zstd', 'gzip'] satisfies readonly Encoding[]
const usualType =
  /^(?:text\/(?!event-stream$).+|application\/(?:json|javascript|xml|wasm|x-ndjson|graphql)|.+\+(?:json|xml)|font\/(?:ttf|otf))$/
const mediaType = /^[\w!#$&^.+-]+\/(?:[\w!#$&^.+-]+|\*)$/

/** Makes the plugin. It compresses what leaves, after all other listeners, wherever it is in the list. */
export function compress(options: CompressOptions = {}): Plugin {
  checkOptions<CompressOptions>('compress()', options, {
    encodings: listOf("a list of 'br', 'zstd', 'gzip'", (name) => typeof name === 'string' && known.includes(name)),
    thresholdBytes: wholeNumberRule,
    types: listOf(
      'a list of media types such as text/html, text/*',
      (type) => typeof type === 'string' && mediaType.test(type),
    ),
  })
  const listeners: Listener[] = []
  return {
    name: 'compress',
    listeners,
    async start() {
      listeners.push(new Compressor(options, await import('./encode-body.ts')))
    },
  }
}

interface Encoders {
  readonly encodeWhole: typeof encodeWhole
  readonly encodeStream: typeof encodeStream
}

class Compressor implements Listener {
  readonly name = 'compress'
  readonly encodesBody = true
  readonly #encoders: Encoders
  readonly #encodings: readonly Encoding[]
  readonly #thresholdBytes: number
  readonly #types: ReadonlySet<string> | null

  constructor(
    { encodings = ['br', 'zstd', 'gzip'], thresholdBytes = 1024, types }: CompressOptions,
    encoders: Encoders,
  ) {
    this.#encoders = encoders
    this.#encodings = encodings
    this.#thresholdBytes = thresholdBytes
    this.#types = types === undefined ? null : new Set(types.map((type) => type.toLowerCase()))
  }

  /** Gives a new reply: the application may send the one it has again. */
  async onResponse({ request }: Exchange, reply: Reply): Promise<Reply | undefined> {
    const isHead = request.method === 'HEAD'
    if (!this.#isCompressible(reply, isHead)) return undefined
    const [wanted] = acceptedEncodings(request.headers['accept-encoding'], this.#encodings)
    const encoding = this.#encodings.find((name) => name === wanted)
    const body = encoding === undefined ? null : await this.#encode(encoding, reply.body, isHead)
    if (encoding === undefined || body === null) {
      const plain = new Reply(reply.status, [...reply.headers], reply.body)
      addVary(plain, 'Accept-Encoding')
      return plain
    }
    const encoded = new Reply(reply.status, [...reply.headers, 'content-encoding', encoding], body)
    addVary(encoded, 'Accept-Encoding')
    // Lengths and ranges are of other bytes; a strong tag identifies the exact bytes (RFC 9110, section 8.8.1).
    encoded.removeHeader('content-length').removeHeader('accept-ranges')
    const tag = encoded.header('etag')
    if (tag?.startsWith('"') === true) encoded.setHeader('etag', `W/${tag}`)
    return encoded
  }

  /** Whether other clients might get the reply compressed. */
  #isCompressible(reply: Reply, isHead: boolean): boolean {
    const { status, body } = reply
    if (status === 204 || status === 206 || status === 304 || (body === null && !isHead)) return false
    if (bodyFields.some((name) => reply.header(name) !== undefined)) return false
    if (/(?:^|[\s,])no-transform(?:$|[\s,])/i.test(reply.header('cache-control') ?? '')) return false
    const size = sizeOf(reply)
    return (size === null || size >= this.#thresholdBytes) && this.#isOfType(reply.header('content-type'))
  }

  #isOfType(contentType: string | undefined): boolean {
    const { essence } = parseMediaType(contentType)
    if (this.#types === null) return usualType.test(essence)
    return this.#types.has(essence) || this.#types.has(`${essence.split('/')[0]}/*`)
  }

  /** `null` where the body would not become smaller. */
  async #encode(encoding: Encoding, body: ReplyBody, isHead: boolean): Promise<ReplyBody> {
    // A body of unknown length, as far as the head says; none of it is sent.
    if (isHead) {
      discard(body)
      return Readable.from([])
    }
    if (isStream(body)) return this.#encoders.encodeStream(encoding, body)
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return null
    const encoded = await this.#encoders.encodeWhole(encoding, body)
    return encoded.byteLength < Buffer.byteLength(body) ? encoded : null
  }
}

/** Bytes of the body; `null` if that is not known. */
function sizeOf(reply: Reply): number | null {
  const { body } = reply
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.byteLength(body)
  const declared = reply.header('content-length')
  return declared === undefined ? null : Number(declared)
}
