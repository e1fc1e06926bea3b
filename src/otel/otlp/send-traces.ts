// Sends one body of traces to a receiver of OTLP, and reads what it says.

import type { OtlpProtocol } from '../../http/config/otlp-address.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { decodeJson } from './json-form.ts'
import type { Messages } from './messages.ts'
import { decodeProtobuf } from './protobuf.ts'
import { otlpContentTypes } from './trace-request.ts'

export interface OtlpTarget {
  readonly address: string
  readonly protocol: OtlpProtocol
  /** Header fields beside `Content-Type`. */
  readonly headers: Readonly<Record<string, string>>
}

/** What became of a body. */
export type SendResult =
  /** `rejected`: spans that the receiver did not take; `message`: why, or a warning. Empty: it said nothing. */
  | { readonly state: 'taken'; readonly rejected: number; readonly message: string }
  /** Sending it again would not help. */
  | { readonly state: 'refused'; readonly message: string }
  /** `afterMs`: how long the receiver wants to be left alone; `null` if it did not say. */
  | { readonly state: 'failed'; readonly message: string; readonly afterMs: number | null }

/** How long a receiver may take, in milliseconds. */
const budgetMs = 10_000
/** Bytes of a response that are read. */
const maxResponseBytes = 64 * 1024
/** Statuses after which the same body may be sent again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Never rejects. */
export async function sendTraces(target: OtlpTarget, body: Buffer): Promise<SendResult> {
  try {
    const response = await fetch(target.address, {
      method: 'POST',
      headers: { ...target.headers, 'content-type': otlpContentTypes[target.protocol] },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(budgetMs),
    })
    return resultOf(response, await readStart(response))
  } catch (thrown) {
    // `fetch failed` says little; its cause says more.
    const { errorClass, message } = describeFailure(thrown instanceof Error && thrown.cause ? thrown.cause : thrown)
    return { state: 'failed', message: message === '' ? errorClass : message, afterMs: null }
  }
}

async function readStart(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length >= maxResponseBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxResponseBytes)
}

function resultOf(response: Response, bytes: Buffer): SendResult {
  const { status, ok, headers } = response
  const type = headers.get('content-type') ?? ''
  if (ok) {
    const { partialSuccess = {} } = readMessage('TraceResponse', type, bytes) ?? {}
    return {
      state: 'taken',
      rejected: Number(partialSuccess.rejectedSpans ?? 0),
      message: partialSuccess.errorMessage ?? '',
    }
  }
  const said = readMessage('RefusalStatus', type, bytes)?.message ?? ''
  const message = `status ${status}${said === '' ? '' : `: ${said.slice(0, 300)}`}`
  if (!passing.has(status)) return { state: 'refused', message }
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return { state: 'failed', message, afterMs: seconds >= 0 ? Math.min(seconds, 3600) * 1000 : null }
}

/** `undefined` for a response of another form: not every receiver says something. */
function readMessage<Name extends 'TraceResponse' | 'RefusalStatus'>(
  name: Name,
  type: string,
  bytes: Buffer,
): Messages[Name] | undefined {
  const decode = type.startsWith(otlpContentTypes['http/protobuf']) ? decodeProtobuf : decodeJson
  try {
    return decode(name, bytes, 100)
  } catch {
    return undefined
  }
}
