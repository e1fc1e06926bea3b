// Reads the body of a request of OTLP: its form, its compression, its size. What does not fit is refused before it takes memory.

import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { HttpError } from '../../../framework/http/http-error.ts'
import { parseMediaType } from '../../../framework/http/media-type.ts'
import type { HttpRequest } from '../../../framework/http/request.ts'
import { decodeJson } from '../json-form.ts'
import type { MessageName, Messages } from '../messages.ts'
import { decodeProtobuf } from '../protobuf.ts'
import { OtlpBoundError, OtlpReadError } from '../read-errors.ts'

/** Bytes of a body, as sent and decompressed. */
const maxBodyBytes: number = 16 * 1024 * 1024
/** Messages, objects and lists in it. A span of an SDK has 20 to 60. */
const maxParts = 500_000

/** Why a request is not taken, in the form it was sent in. */
export class RefusedRequest extends Error {
  readonly status: 400 | 413 | 415 | 429
  /** As in gRPC. */
  readonly code: number

  constructor(status: RefusedRequest['status'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = status === 413 || status === 429 ? 8 : 3
  }
}

/** Whether a request is, and gets a response, in JSON. */
export function isJsonRequest(request: HttpRequest): boolean {
  return essenceOf(request) === 'application/json'
}

/** Throws a RefusedRequest. */
export async function readBody<Name extends MessageName>(name: Name, request: HttpRequest): Promise<Messages[Name]> {
  const essence = essenceOf(request)
  const isProtobuf = essence === 'application/x-protobuf' || essence === 'application/protobuf'
  if (!isProtobuf && essence !== 'application/json') {
    throw new RefusedRequest(415, 'The body must be application/x-protobuf or application/json')
  }
  const bytes = await decompressed(await sentBytes(request), request.header('content-encoding') ?? '')
  try {
    return (isProtobuf ? decodeProtobuf : decodeJson)(name, bytes, maxParts)
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
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new RefusedRequest(400, 'The body is not gzip', { cause })
  }
}

function tooLarge(): RefusedRequest {
  return new RefusedRequest(413, `The body has more than ${maxBodyBytes / 1024 / 1024} MB; send smaller batches`)
}
