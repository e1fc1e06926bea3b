// Sends each profile that was written as a trace: in the background, in batches, from a bounded queue. What the receiver does not
// take is counted and said once.

import { setTimeout as delay } from 'node:timers/promises'
import { hideCredentials } from '../../base/redact/cut-text.ts'
import { runOutsideExchanges } from '../../http/kernel/current-exchange.ts'
import { waitAtMost } from '../../http/kernel/within-budget.ts'
import type { Log } from '../../base/log/logger.ts'
import { tracesLost, tracesNotSent, tracesSentAgain } from '../../base/log/lines.ts'
import { approximateSize } from '../../http/recording/approximate-size.ts'
import { browserMethod, spansMethod, type Profile } from '../../observe/profile.ts'
import type { ProfileStore } from '../../profiles/profile-store.ts'
import type { SendingStatus } from '../../profiles/sampling/recorder-status.ts'
import { encodeTraces, otlpContentTypes } from './trace-request.ts'
import type { OtlpProtocol } from '../../http/config/variables.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { decodeJson, type Messages, decodeProtobuf } from './messages.ts'

export interface TraceSenderOptions {
  readonly target: OtlpTarget
  readonly store: Pick<ProfileStore, 'read'>
  readonly log: Log
  /** How long the first profile waits for company, in milliseconds. Default 1,000. */
  readonly batchDelayMs?: number
  /** First wait after a failure, in milliseconds; doubled with each further one. Default 1,000. */
  readonly retryMs?: number
  /** Profiles that wait at most; beyond it the oldest is dropped. Default 2,000. */
  readonly maxQueued?: number
}

/** Profiles of one request at most. */
const batchSize = 64
/** Approximate bytes of profiles after which a request takes no more of them. */
const maxBatchBytes = 2 * 1024 * 1024
/** Longest wait after a failure, in milliseconds. */
const maxRetryMs = 30_000

/** What other services and browsers did. */
const foreignMethods: ReadonlySet<string> = new Set([spansMethod, browserMethod])

export class TraceSender {
  readonly #options: TraceSenderOptions
  readonly #closing = new AbortController()
  /** Tokens; the profiles stay in the store until they are sent. */
  #queue: string[] = []
  /** Profiles of the request that is under way. */
  #sending = 0
  #running: Promise<void> | undefined
  #problem: string | null = null
  /** `dropped` when sending began to fail. */
  #droppedBefore = 0
  readonly #counts = { sent: 0, dropped: 0, refused: 0, rejectedSpans: 0, failures: 0 }

  constructor(options: TraceSenderOptions) {
    this.#options = options
  }

  /** Takes profiles that were written, by token; returns at once and never throws. */
  offer(tokens: readonly string[]): void {
    if (this.#closing.signal.aborted) return void (this.#counts.dropped += tokens.length)
    this.#queue.push(...tokens)
    const excess = this.#queue.length - (this.#options.maxQueued ?? 2000)
    if (excess > 0) {
      this.#queue.splice(0, excess)
      this.#counts.dropped += excess
    }
    // What a request sets off must not be recorded as a part of it.
    this.#running ??= runOutsideExchanges(async () => this.#run())
  }

  get status(): SendingStatus {
    return {
      address: this.#address,
      waiting: this.#queue.length + this.#sending,
      ...this.#counts,
      problem: this.#problem,
    }
  }

  /** Sends what waits, as far as the deadline in milliseconds and the receiver allow, and takes no more. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort()
    await waitAtMost(this.#running ?? Promise.resolve(), deadlineMs)
    const lost = this.#queue.length + this.#sending
    if (lost === 0) return
    this.#queue = []
    this.#counts.dropped += lost
    this.#options.log.write(tracesLost({ address: this.#address, lost }))
  }

  get #address(): string {
    return hideCredentials(this.#options.target.address)
  }

  /** Sends batch after batch until nothing waits; never rejects. */
  async #run(): Promise<void> {
    await this.#pause(this.#options.batchDelayMs ?? 1000)
    while (this.#queue.length > 0) {
      const profiles = await this.#nextBatch()
      if (profiles.length === 0) continue
      this.#sending = profiles.length
      const isOver = await this.#deliver(profiles)
      // The process ends, and the receiver does not take it.
      if (!isOver) break
      this.#sending = 0
    }
    this.#running = undefined
  }

  async #nextBatch(): Promise<readonly Profile[]> {
    const profiles: Profile[] = []
    let bytes = 0
    while (this.#queue.length > 0 && profiles.length < batchSize && bytes < maxBatchBytes) {
      const token = this.#queue.shift() ?? ''
      const profile = await this.#options.store.read(token).catch(() => undefined)
      if (profile === undefined) this.#counts.dropped += 1
      else if (!foreignMethods.has(profile.method)) {
        profiles.push(profile)
        bytes += approximateSize(profile, maxBatchBytes)
      }
    }
    return profiles
  }

  /** Tries until the receiver has said yes or no. `false`: it did neither, and the process ends. */
  async #deliver(profiles: readonly Profile[]): Promise<boolean> {
    const { target, retryMs = 1000 } = this.#options
    const body = encodeTraces(profiles, target.protocol)
    for (let failures = 0; ; failures += 1) {
      const result = await sendTraces(target, body)
      this.#note(result, profiles.length)
      if (result.state !== 'failed') return true
      if (this.#closing.signal.aborted) return false
      await this.#pause(result.afterMs ?? Math.min(maxRetryMs, retryMs * 2 ** failures))
    }
  }

  #note(result: SendResult, count: number): void {
    const { log } = this.#options
    const address = this.#address
    if (result.state === 'taken') {
      this.#counts.sent += count
      this.#counts.rejectedSpans += result.rejected
      if (this.#problem === null) return
      this.#problem = null
      log.write(tracesSentAgain({ address, dropped: this.#counts.dropped - this.#droppedBefore }))
      return
    }
    if (result.state === 'refused') this.#counts.refused += count
    else this.#counts.failures += 1
    if (this.#problem === null) {
      this.#droppedBefore = this.#counts.dropped
      log.write(tracesNotSent({ address, reason: result.message }))
    }
    this.#problem = result.message
  }

  /** Ends early when the process ends, and holds no process. */
  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined)
  }
}

interface OtlpTarget {
  readonly address: string
  readonly protocol: OtlpProtocol
  /** Header fields beside `Content-Type`. */
  readonly headers: Readonly<Record<string, string>>
}

type SendResult =
  /** `rejected`: spans that the receiver did not take; `message`: why, or a warning. Empty: it said nothing. */
  | { readonly state: 'taken'; readonly rejected: number; readonly message: string }
  /** Sending it again would not help. */
  | { readonly state: 'refused'; readonly message: string }
  /** `afterMs`: how long the receiver wants to be left alone; `null` if it did not say. */
  | { readonly state: 'failed'; readonly message: string; readonly afterMs: number | null }

/** How long a receiver may take, in milliseconds. */
const budgetMs = 10_000
const maxResponseBytes = 64 * 1024
/** Statuses after which the same body may be sent again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Never rejects. */
async function sendTraces(target: OtlpTarget, body: Buffer): Promise<SendResult> {
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
