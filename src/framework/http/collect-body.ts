// Reads a stream into one buffer, up to a limit.

import type { Readable } from 'node:stream'
import { clientError, HttpError } from './http-error.ts'

type BodyFailure = () => HttpError

/** Receives the bytes. Exactly one of `done` and `failed` is called, once; neither may throw. */
interface BodyTaker {
  done(bytes: Buffer): void
  failed(failure: BodyFailure): void
  /** Called for each chunk, with the number of bytes so far. */
  readonly seen: ((chunk: Uint8Array, length: number) => void) | null
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
    taker.seen?.(chunk, length)
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

const noBytes: Buffer = Buffer.alloc(0)

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
