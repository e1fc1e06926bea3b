// Compresses bodies with Node's zlib. Loaded by applications that compress.

import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import type { ReadableStream } from 'node:stream/web'

export type Encoding = 'br' | 'zstd' | 'gzip'

/** Higher levels cost more time than a response can take. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4 }

const whole = { br: promisify(brotliCompress), zstd: promisify(zstdCompress), gzip: promisify(gzip) }

/** The whole body, compressed beside the event loop. */
export function encodeWhole(encoding: Encoding, body: string | Uint8Array): Promise<Uint8Array> {
  if (encoding === 'br') return whole.br(body, { params: brotliParams })
  return encoding === 'zstd' ? whole.zstd(body) : whole.gzip(body)
}

/** The stream, compressed. What it yields leaves at once: each piece can be read when it arrives. */
export function encodeStream(encoding: Encoding, body: Readable | ReadableStream<Uint8Array>): Readable {
  const source = body instanceof Readable ? body : Readable.fromWeb(body)
  // Where either end breaks off, the other one does: the sender sees the failure of the source.
  return pipeline(source, encoder(encoding), () => undefined)
}

function encoder(
  encoding: Encoding,
): ReturnType<typeof createGzip | typeof createBrotliCompress | typeof createZstdCompress> {
  if (encoding === 'br') return createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH, params: brotliParams })
  if (encoding === 'zstd') return createZstdCompress({ flush: constants.ZSTD_e_flush })
  return createGzip({ flush: constants.Z_SYNC_FLUSH })
}
