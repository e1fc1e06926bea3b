// Reads the facts of requests that facts-writer.ts wrote in the main thread, in the same order: as records, which collectors know.

import { HttpRequest } from '../../framework/http/request.ts'
import type { LogLevel } from '../../framework/log/logger.ts'
import type { LogRecord } from '../../framework/log/record-logger.ts'
import { unpackSpans, type PackedSpans } from '../../framework/timing/packed-spans.ts'
import type { Span } from '../../framework/timing/span.ts'
import { FlatReader } from './flat-data.ts'
import {
  noName,
  nothing,
  places,
  type FlatFacts,
  type KeptFigures,
  type RareFacts,
  type RequestFacts,
} from './request-facts.ts'
import type { RecordingRecord, RequestRecord, RouteRecord } from '../request-record.ts'

/** Makes of what was kept under a name what collectors know. */
export type Revive = (name: string, kept: unknown) => unknown

/** The requests of a batch, in the order they were added. */
export class FactsReader {
  readonly #in: FlatReader
  readonly #revive: Revive
  #left: number
  #route: RouteRecord | undefined
  #names: PackedSpans['names'] = []
  /** The same list for all requests in a row that have the same fields: who reads one has read them all. */
  #headers: readonly string[] = []

  constructor(facts: FlatFacts, revive: Revive) {
    this.#in = new FlatReader(facts)
    this.#left = facts.count
    this.#revive = revive
  }

  /** The next one; `undefined` when there is none. Throws for what no writer wrote. */
  next(): RequestFacts | undefined {
    if (this.#left === 0) return undefined
    this.#left -= 1
    const { recording, ...line } = this.#readLine()
    const route = this.#readRoute()
    const params = this.#readParams()
    const logger = this.#readLog()
    const { spans, droppedSpans } = this.#readSpans()
    const kept = this.#readKept()
    const rare = (this.#in.other() ?? noneRare) as RareFacts
    const { startedMs, instrumentationMs, ...start } = recording
    return {
      ...rare,
      record: {
        ...line,
        route,
        params,
        children: rare.children,
        recording: {
          ...start,
          children: rare.childTokens.map((token) => ({ token })),
          notes: rare.ownNotes,
          logger,
          stopwatch: { startedMs, instrumentationMs, droppedSpans, spans },
          kept: (name) => this.#revive(name, kept.get(name)),
        },
      },
    }
  }

  #readLine(): Line {
    const flat = this.#in
    const token = flat.text()
    const parentToken = flat.string()
    const recording = {
      token,
      parent: parentToken === null ? undefined : { token: parentToken },
      startedAt: flat.figure(),
      startedMs: flat.figure(),
      instrumentationMs: flat.figure(),
      durationMs: flat.figure(),
    }
    const context = new HttpRequest({
      method: flat.repeated(places.method),
      target: flat.repeated(places.target),
      path: flat.repeated(places.path),
      query: flat.repeated(places.query),
      scheme: flat.repeated(places.scheme) as 'http' | 'https',
      host: flat.repeated(places.host),
      port: flat.figure(),
      peerAddress: flat.repeated(places.peerAddress),
      clientAddress: flat.repeated(places.clientAddress),
      rawHeaders: this.#readHeaders(),
    })
    const handlerName = flat.repeated(places.handlerName)
    const isPart = flat.figure() === 1
    const bytes = flat.figure()
    const aborted = flat.figure() === 1
    const status = flat.figure()
    return {
      context,
      handlerName,
      parent: isPart ? {} : undefined,
      sent: bytes === nothing ? undefined : { bytes, aborted },
      reply: status === nothing ? undefined : { status, headers: this.#readReplyHeaders() },
      recording,
    }
  }

  #readReplyHeaders(): readonly string[] {
    const count = this.#in.figure()
    return Array.from({ length: count }, (_, index) => this.#in.repeated(places.replyHeaders + index))
  }

  #readHeaders(): readonly string[] {
    if (this.#in.figure() === 0) this.#headers = this.#in.strings()
    return this.#headers
  }

  #readRoute(): RouteRecord | undefined {
    if (this.#in.figure() === 0) this.#route = (this.#in.other() ?? undefined) as RouteRecord | undefined
    return this.#route
  }

  #readParams(): RequestRecord['params'] {
    const params = Object.create(null) as Record<string, unknown>
    for (let left = this.#in.figure(); left > 0; left -= 1) {
      const name = this.#in.text()
      params[name] = this.#in.figure() === 1 ? this.#in.text() : this.#in.other()
    }
    return params
  }

  #readLog(): RecordingRecord['logger'] {
    const dropped = this.#in.figure()
    const records: LogRecord[] = []
    for (let left = this.#in.figure(); left > 0; left -= 1) {
      records.push({ ...this.#readLogLine(), timeMs: this.#in.figure() })
    }
    return { records, dropped }
  }

  #readLogLine(): Omit<LogRecord, 'timeMs'> {
    return {
      level: this.#in.text() as LogLevel,
      channel: this.#in.text(),
      message: this.#in.text(),
      context: JSON.parse(this.#in.text()) as LogRecord['context'],
    }
  }

  #readSpans(): { spans: () => readonly Span[]; droppedSpans: number } {
    const droppedSpans = this.#in.figure()
    if (this.#in.figure() === 0) this.#names = this.#in.other() as PackedSpans['names']
    const figures = this.#in.figures()
    const attributes = this.#in.other() as PackedSpans['attributes']
    const packed = { names: this.#names, figures, attributes }
    let spans: readonly Span[] | undefined
    return { spans: () => (spans ??= unpackSpans(packed)), droppedSpans }
  }

  #readKept(): ReadonlyMap<string, unknown> {
    const kept = new Map<string, unknown>()
    for (let name = this.#in.text(); name !== noName; name = this.#in.text()) {
      const figures = this.#in.figure() === 1 ? this.#in.figures() : null
      const more = this.#in.other()
      if (figures === null) kept.set(name, more)
      else kept.set(name, { figures, more } satisfies KeptFigures)
    }
    return kept
  }
}

type Line = Omit<RequestRecord, 'route' | 'params' | 'children' | 'recording'> & {
  readonly recording: Pick<RecordingRecord, 'token' | 'parent' | 'startedAt' | 'durationMs'> & {
    readonly startedMs: number
    readonly instrumentationMs: number
  }
}

const noneRare: RareFacts = { texts: [], data: [], notes: [], ownNotes: [], childTokens: [], children: [] }
