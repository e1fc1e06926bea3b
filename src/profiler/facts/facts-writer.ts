// Writes the facts of requests that have ended for the thread that makes profiles of them. facts-reader.ts reads them there, in
// the order in which they are written here.

import type { Recording } from '../../framework/recording/recording.ts'
import type { PackedSpans } from '../../framework/timing/packed-spans.ts'
import { FlatWriter } from './flat-data.ts'
import {
  noName,
  nothing,
  places,
  type FlatFacts,
  type GatheredHere,
  type KeptFigures,
  type RareFacts,
} from './request-facts.ts'
import type { ChildRecord, PackedKept, RequestRecord } from '../request-record.ts'

/** Writes one batch after the other. */
export class FactsWriter {
  readonly #out = new FlatWriter()
  #count = 0
  #lastRoute: RequestRecord['route'] | null = null
  #lastNames: PackedSpans['names'] = []
  #lastHeaders: readonly string[] = []

  /** Adds a request. */
  add(record: RequestRecord, recording: Recording, here: GatheredHere): void {
    this.#count += 1
    this.#writeLine(record, recording)
    this.#writeRoute(record)
    this.#writeLog(recording)
    this.#writeSpans(recording.stopwatch.packed(), recording.stopwatch.droppedSpans)
    this.#writeKept(recording, here.reads)
    this.#writeRare(record, recording, here)
  }

  /** All that were added, to be copied before others are. The next one begins a batch. */
  take(): FlatFacts {
    const count = this.#count
    this.#count = 0
    this.#lastRoute = null
    this.#lastNames = []
    this.#lastHeaders = []
    return { count, ...this.#out.take() }
  }

  #writeLine({ context, handlerName, parent, reply, sent }: RequestRecord, recording: Recording): void {
    const out = this.#out
    out.string(recording.token)
    out.string(recording.parent?.token ?? null)
    out.figure(recording.startedAt)
    out.figure(recording.stopwatch.startedMs)
    out.figure(recording.stopwatch.instrumentationMs)
    out.figure(recording.durationMs)
    // Requests come from few clients, and for few addresses, as a rule.
    out.repeated(places.method, context.method)
    out.repeated(places.target, context.target)
    out.repeated(places.path, context.path)
    out.repeated(places.query, context.rawQuery)
    out.repeated(places.scheme, context.scheme)
    out.repeated(places.host, context.host)
    out.figure(context.port)
    out.repeated(places.peerAddress, context.peerAddress)
    out.repeated(places.clientAddress, context.clientAddress)
    this.#writeHeaders(context.rawHeaders)
    out.repeated(places.handlerName, handlerName)
    out.figure(Number(parent !== undefined))
    out.figure(sent === undefined ? nothing : sent.bytes)
    out.figure(Number(sent?.aborted === true))
    out.figure(reply === undefined ? nothing : reply.status)
    if (reply !== undefined) this.#writeReplyHeaders(reply.headers)
  }

  /** Answers have the same names, and most of the same values, in the same order. */
  #writeReplyHeaders(headers: readonly string[]): void {
    const out = this.#out
    out.figure(headers.length)
    for (let index = 0; index < headers.length; index += 1)
      out.repeated(places.replyHeaders + index, asText(headers[index]))
  }

  /** A client sends the same fields with each request, as a rule. */
  #writeHeaders(headers: readonly string[]): void {
    const areSame = isSameList(headers, this.#lastHeaders)
    this.#lastHeaders = headers
    this.#out.figure(Number(areSame))
    if (!areSame) this.#out.strings(headers)
  }

  #writeRoute({ route, params }: RequestRecord): void {
    const out = this.#out
    const isSameRoute = route === this.#lastRoute
    this.#lastRoute = route
    out.figure(Number(isSameRoute))
    if (!isSameRoute) {
      out.other(route === undefined ? null : { name: route.name, path: route.path, definedAt: route.definedAt })
    }
    const names = Object.keys(params)
    out.figure(names.length)
    for (const name of names) {
      const value = params[name]
      out.anyString(name)
      out.figure(Number(typeof value === 'string'))
      if (typeof value === 'string') out.anyString(value)
      else out.other(value)
    }
  }

  #writeLog({ logger }: Recording): void {
    const out = this.#out
    out.figure(logger.dropped)
    out.figure(logger.count)
    for (const { level, channel, message, context, timeMs } of logger.records) {
      out.string(level)
      out.anyString(channel)
      out.anyString(message)
      out.anyString(JSON.stringify(context))
      out.figure(timeMs)
    }
  }

  #writeSpans({ names, figures, attributes }: PackedSpans, dropped: number): void {
    const out = this.#out
    out.figure(dropped)
    // The requests of a route run the same listeners, as a rule.
    const areSame = isSameList(names, this.#lastNames)
    this.#lastNames = names
    out.figure(Number(areSame))
    if (!areSame) out.other(names)
    out.figures(figures)
    out.other(attributes)
  }

  #writeKept(recording: Recording, names: readonly string[]): void {
    const out = this.#out
    const { keptNames } = recording
    for (let index = 0; index < keptNames.length; index += 1) {
      const name = keptNames[index] ?? noName
      const kept = isOneOf(names, name) ? recording.kept(name) : undefined
      const value = isPacked(kept) ? kept.pack() : kept
      if (value === undefined) continue
      const isFigures = isKeptFigures(value)
      out.string(name)
      out.figure(Number(isFigures))
      if (isFigures) out.figures(value.figures)
      out.other(isFigures ? value.more : value)
    }
    out.string(noName)
  }

  #writeRare({ children }: RequestRecord, recording: Recording, { texts, data, notes }: GatheredHere): void {
    const { notes: ownNotes } = recording
    const childCount = children.length + recording.children.length
    const rare: RareFacts | null =
      texts.length + data.length + notes.length + ownNotes.length + childCount === 0
        ? null
        : {
            texts,
            data,
            notes,
            ownNotes,
            childTokens: recording.children.map(({ token }) => token),
            children: children.map(childOf),
          }
    this.#out.other(rare)
  }
}

/** Whoever writes no types may have set a number as a header: Node sends it. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : String(value)
}

/** As `includes()`, without the call that one is. */
function isOneOf(names: readonly string[], wanted: string): boolean {
  for (let index = 0; index < names.length; index += 1) if (names[index] === wanted) return true
  return false
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false
  return true
}

function isPacked(kept: unknown): kept is PackedKept {
  return typeof kept === 'object' && kept !== null && 'pack' in kept && typeof kept.pack === 'function'
}

function isKeptFigures(kept: unknown): kept is KeptFigures {
  return typeof kept === 'object' && kept !== null && 'figures' in kept && 'more' in kept
}

/** What another thread is told of a sub-request: nothing that cannot be copied. */
function childOf({ handlerName, reply, recording }: ChildRecord): ChildRecord {
  return {
    handlerName,
    reply: reply === undefined ? undefined : { status: reply.status },
    recording:
      recording === undefined
        ? undefined
        : {
            token: recording.token,
            durationMs: recording.durationMs,
            stopwatch: { startedMs: recording.stopwatch.startedMs },
          },
  }
}
