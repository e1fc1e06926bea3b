// A request that has ended and waits to become a profile. It lets go of bodies at once; the rest of the work is done when
// somebody needs it, in the main thread or, from plain facts, in the thread of the store.

import type { HttpRequest } from '../framework/http/request.ts'
import type { Exchange, SentAnswer } from '../framework/kernel/exchange.ts'
import { approximateSize } from '../framework/recording/approximate-size.ts'
import type { Recording } from '../framework/recording/recording.ts'
import { toProfile } from './assemble-profile.ts'
import { namesRead, type AssemblyPlan } from './assembly-plan.ts'
import { encodePart, gather, type Gathered, type Part } from './collect-data.ts'
import type { Profile } from './profile.ts'
import type { ProfileAssembly } from './assembling-store.ts'
import type { FactsWriter } from './facts/facts-writer.ts'
import type { GatheredHere } from './facts/request-facts.ts'
import type { ChildRecord, RecordCollector, RequestRecord, RouteRecord } from './request-record.ts'
import { summarize } from './summarize.ts'

/** Bytes that collectors of the application may hand to another thread; of more, the profile is cut where they can be asked. */
const maxOwnBytes = 64 * 1024
/** A request without anything unusual, in bytes. */
const usualBytes = 6 * 1024

/** What waits in the queue. */
export class FinishedRequest implements RequestRecord {
  readonly token: string
  readonly context: HttpRequest
  readonly handlerName: string
  readonly route: RouteRecord | undefined
  readonly params: Readonly<Record<string, unknown>>
  readonly parent: object | undefined
  readonly reply: { readonly status: number; readonly headers: readonly string[] } | undefined
  readonly sent: SentAnswer | undefined
  readonly children: readonly ChildRecord[]
  readonly recording: Recording
  readonly #plan: AssemblyPlan
  readonly #gathered: Gathered

  /** Asks the collectors that need the exchange itself. Never throws. */
  constructor(exchange: Exchange, recording: Recording, plan: AssemblyPlan) {
    this.token = recording.token
    this.context = exchange.context
    this.handlerName = exchange.handlerName
    this.route = exchange.route
    this.params = exchange.params
    this.parent = exchange.parent === undefined ? undefined : aParent
    const { reply } = exchange
    this.reply = reply === undefined ? undefined : { status: reply.status, headers: reply.headers }
    this.sent = exchange.sent
    this.children = exchange.children.length === 0 ? none : exchange.children.map(childOf)
    this.recording = recording
    this.#plan = plan
    this.#gathered = gather(plan.ownCollectors, (collector) => collector.collect(exchange), plan.redactor)
  }

  /** What assembles it in another thread, or `undefined`. */
  get assembly(): ProfileAssembly | undefined {
    return this.#plan.assembly
  }

  /** The profile, made here and now. */
  toProfile(): Profile {
    const { recordCollectors, collectors, redactor } = this.#plan
    const own = this.#gathered
    const more = gather(recordCollectors, (collector) => collector.collect(this), redactor)
    const order = new Map(collectors.map(({ name }, index) => [name, index]))
    const placeOf = ({ collector }: Part): number => order.get(collector.name) ?? 0
    const parts = [...own.parts, ...more.parts].sort((one, other) => placeOf(one) - placeOf(other))
    const notes = [...own.notes, ...more.notes]
    const summary = summarize(this, this.recording, parts, this.#plan)
    return toProfile(summary, { parts, notes }, this.recording.notes)
  }

  /** Adds what another thread makes the profile from, not masked yet. Gives `false` where it has to be made here. */
  writeFacts(writer: FactsWriter): boolean {
    try {
      const gathered = this.#gatherHere()
      if (gathered === undefined) return false
      writer.add(this, this.recording, gathered)
      return true
    } catch {
      // Where it is made in the main thread, a part that cannot be had becomes a note.
      return false
    }
  }

  /** Nobody will ask any more: what was recorded is stored, or given up. */
  forget(): void {
    this.recording.forget()
  }

  #gatherHere(): GatheredHere | undefined {
    const { recordCollectors, sometimesHere, reads, assembly, redactor } = this.#plan
    if (assembly === undefined || recordCollectors.length === 0) return undefined
    const { parts, notes } = this.#gathered
    let bytes = 0
    for (const part of parts) bytes += encodePart(part).length
    if (bytes > maxOwnBytes) return undefined
    const texts = parts.length === 0 ? none : parts.map((part) => [part.collector.name, encodePart(part)] as const)
    let here: RecordCollector[] | undefined
    for (const collector of sometimesHere) {
      if (collector.reads === undefined || collector.staysHere?.(this) === true) (here ??= []).push(collector)
    }
    if (here === undefined) return { reads, texts, data: none, notes }
    const gathered = gather(here, (collector) => collector.collect(this), redactor, 'plain')
    return {
      reads: namesRead(recordCollectors.filter((collector) => !here.includes(collector))),
      texts,
      data: gathered.parts.map((part) => [part.collector.name, part.data] as const),
      notes: [...notes, ...gathered.notes],
    }
  }

  /** Bytes of memory that it holds, nearly. */
  get bytes(): number {
    const { logger } = this.recording
    const logBytes = logger.count > 1 ? approximateSize(logger.records) : 0
    const chain = this.recording.kept('exception')
    const chainBytes = chain === undefined ? 0 : approximateSize(chain)
    return usualBytes + logBytes + chainBytes + 200 * this.recording.stopwatch.count
  }
}

const none: readonly never[] = Object.freeze([])
const aParent: object = Object.freeze({})

function childOf({ handlerName, reply, recording }: Exchange): ChildRecord {
  return { handlerName, reply: reply === undefined ? undefined : { status: reply.status }, recording }
}
