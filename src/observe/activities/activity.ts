// What happens while a request runs, beyond queries and outgoing requests: reads of a cache, mails, decisions. Each kind is a list with a bound.

import { describeFailure } from '../../http/kernel/describe-failure.ts'
import type { Recording, KeptName } from '../../http/recording/recording.ts'
import type { RunningSpan, SpanStart } from '../../base/timing/stopwatch.ts'
import { markSiteIn, type CallSites } from '../call-site.ts'
import type { Activities, ActivityKind, Happening } from './activity-kind.ts'

/** Everything of a request, by kind; a kind of which nothing happened is absent. Not masked yet. */
export type RecordedActivities = Readonly<Record<string, Activities<object>>>

/** An activity as its source reports it when it starts. */
export interface ActivityStart<Facts> {
  readonly facts: Facts
  /** The stack of the caller, or how many frames of the current stack to capture; `null` for no call site. */
  readonly site: Error | number | null
  /** Its bar in the timeline. Default: it has none. */
  readonly span?: SpanStart
  /** How long it has been running already, in milliseconds. Default 0. */
  readonly agoMs?: number
}

/** What recording needs of a kind. */
export type KindOf<Facts extends object> = Pick<ActivityKind<Facts, never>, 'name' | 'most' | 'count'>

/** A running activity. Only the first end counts. */
export interface RunningActivity<Facts> {
  /** Facts that are known before the end replace those of the start. */
  update(facts: Partial<Facts>): void
  /** `facts` that are known now replace those of the start. */
  end(facts?: Partial<Facts>): void
  fail(thrown: unknown, facts?: Partial<Facts>): void
}

export const activitiesName: KeptName<ActivityLists> = 'activities'

/** The activities of one request. */
export class ActivityLists {
  readonly #recording: Recording
  readonly #callSites: CallSites
  readonly #lists = new Map<string, { entries: Entry[]; dropped: number }>()

  constructor(recording: Recording, callSites: CallSites) {
    this.#recording = recording
    this.#callSites = callSites
  }

  /** Adds one that starts now, unless `start` returns nothing; beyond the limit of its kind it is only counted. */
  begin<Facts extends object>(
    { name, most }: KindOf<Facts>,
    start: () => ActivityStart<NoInfer<Facts>> | undefined,
  ): RunningActivity<Facts> | undefined {
    const known = this.#lists.get(name)
    if (known !== undefined && known.entries.length >= most) {
      known.dropped += 1
      return undefined
    }
    const started = start()
    if (started === undefined) return undefined
    const entry = new Entry(this.#recording, started)
    if (known === undefined) this.#lists.set(name, { entries: [entry], dropped: 0 })
    else known.entries.push(entry)
    return entry
  }

  toRecord(): RecordedActivities | undefined {
    if (this.#lists.size === 0) return undefined
    const record = [...this.#lists].map(([name, { entries, dropped }]) => {
      return [name, { entries: entries.map((entry) => entry.toRecord(this.#callSites)), dropped }] as const
    })
    return Object.fromEntries(record)
  }
}

class Entry implements RunningActivity<object> {
  readonly #recording: Recording
  readonly #site: Error | null
  readonly #startMs: number
  readonly #span: RunningSpan | undefined
  #facts: object
  #durationMs: number | null = null
  #error: string | null = null

  constructor(recording: Recording, { facts, site, span, agoMs = 0 }: ActivityStart<object>) {
    this.#recording = recording
    this.#facts = facts
    this.#site = typeof site === 'number' ? markSiteIn(recording, site) : site
    this.#startMs = Math.max(0, recording.stopwatch.elapsedMs() - agoMs)
    this.#span = span === undefined ? undefined : recording.startSpan({ ...span, startMs: this.#startMs })
  }

  update(facts: object): void {
    this.#facts = { ...this.#facts, ...facts }
  }

  end(facts?: object): void {
    this.#finish(facts, null)
  }

  fail(thrown: unknown, facts?: object): void {
    const { errorClass, message } = describeFailure(thrown)
    this.#finish(facts, `${errorClass}: ${message}`.slice(0, maxErrorLength))
  }

  #finish(facts: object | undefined, error: string | null): void {
    if (this.#durationMs !== null) return
    this.#durationMs = Math.max(0, this.#recording.stopwatch.elapsedMs() - this.#startMs)
    this.#error = error
    if (facts !== undefined) this.update(facts)
    this.#span?.end(error === null ? 'ok' : 'error', this.#durationMs)
  }

  toRecord(callSites: CallSites): Happening {
    const callSite = this.#site === null ? null : callSites.find(this.#site)
    const happening: Happening = { startMs: this.#startMs, durationMs: this.#durationMs, error: this.#error, callSite }
    return { ...this.#facts, ...happening }
  }
}

const maxErrorLength = 500
