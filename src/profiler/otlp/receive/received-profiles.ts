// What services sent, as records of a store: one for each trace, service and batch, or several if they are large.

import { isErrorLevel } from '../../../framework/log/logger.ts'
import { spansMethod, summaryName, type Profile } from '../../profile.ts'
import { traceToken } from '../../traces/received-spans.ts'
import type { Attributes, TraceSpan } from '../../traces/trace-span.ts'
import type { ReceivedLine } from './received-line.ts'

/** Bytes of JSON in one record, nearly: a profile may hold 256 KB. */
const maxRecordBytes = 192 * 1024
/** How far the time of a record may be in the past, in milliseconds: its age decides how long it is kept. */
const maxAgeMs = 86_400_000

interface Sender {
  /** Address of the client. */
  readonly ip: string
  readonly newToken: () => string
  readonly now: number
}

interface Batch {
  readonly traceId: string
  readonly resource: Attributes
  readonly spans: TraceSpan[]
  readonly lines: ReceivedLine[]
  bytes: number
}

/** Gathers spans and log lines, and makes records of them. */
export class ReceivedProfiles {
  readonly #sender: Sender
  readonly #full: Profile[] = []
  readonly #open = new Map<string, Batch>()

  constructor(sender: Sender) {
    this.#sender = sender
  }

  addSpan(span: TraceSpan, resource: Attributes): void {
    this.#batchFor(span.traceId, resource, span).spans.push(span)
  }

  addLine(line: ReceivedLine, resource: Attributes): void {
    this.#batchFor(line.traceId, resource, line).lines.push(line)
  }

  made(): readonly Profile[] {
    return [...this.#full, ...[...this.#open.values()].map((batch) => recordOf(batch, this.#sender))]
  }

  #batchFor(traceId: string, resource: Attributes, item: TraceSpan | ReceivedLine): Batch {
    const bytes = Buffer.byteLength(JSON.stringify(item))
    const key = `${traceId} ${String(resource['service.name'])} ${String(resource['service.instance.id'])}`
    const known = this.#open.get(key)
    if (known !== undefined && known.bytes + bytes <= maxRecordBytes) {
      known.bytes += bytes
      return known
    }
    if (known !== undefined) this.#full.push(recordOf(known, this.#sender))
    const batch: Batch = { traceId, resource, spans: [], lines: [], bytes }
    this.#open.set(key, batch)
    return batch
  }
}

function recordOf({ traceId, resource, spans, lines }: Batch, { ip, newToken, now }: Sender): Profile {
  const starts = [...spans.map(({ startTime }) => startTime), ...lines.map(({ time }) => time)]
  const ends = [...spans.map(({ startTime, durationMs }) => startTime + durationMs), ...lines.map(({ time }) => time)]
  const began = Math.min(...starts)
  const time = Math.min(now, Math.max(now - maxAgeMs, Math.floor(began)))
  const [first] = spans.toSorted((one, other) => one.startTime - other.startTime)
  const service = nameOf(resource, 'service.name')
  const handler = first?.name ?? 'log lines'
  return {
    token: newToken(),
    parentToken: traceToken(traceId),
    childTokens: [],
    method: spansMethod,
    url: `http://${encodeURIComponent(service ?? 'unknown')}/${encodeURIComponent(handler.toWellFormed())}`,
    route: null,
    status: spans.some(({ status }) => status === 'error') ? 500 : 200,
    ip,
    time,
    durationMs: Math.max(0, Math.max(...ends) - began),
    errorClass: null,
    handler,
    logErrorCount: lines.filter(({ level }) => isErrorLevel(level)).length,
    logCount: lines.length,
    // What other services do must not push out what this one found.
    findings: [],
    errorFamily: null,
    errorMessage: null,
    traceId,
    version: nameOf(resource, 'service.version'),
    service,
    replayOf: null,
    tags: [],
    ownCpuMs: null,
    queryCount: null,
    data: {
      spans: { spans, dropped: 0, resource },
      ...(lines.length === 0 ? {} : { logger: { records: lines.map((line) => lineOf(line, time)), dropped: 0 } }),
      notes: [],
    },
  }
}

function lineOf({ traceId: _, time, ...line }: ReceivedLine, began: number): object {
  return { ...line, timeMs: time - began }
}

function nameOf(resource: Attributes, name: string): string | null {
  const value = resource[name]
  return typeof value === 'string' ? summaryName(value.toWellFormed()) : null
}
