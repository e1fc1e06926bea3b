// What happens while a request runs, beyond queries and outgoing requests: reads of a cache, mails, decisions. Each kind is described once:
// what is known of one, how it is masked and cut, and what its panel says; and is a list with a bound.

import type { Redactor } from '../../base/redact/redactor.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { RecordedClient } from '../client/client-state.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import type { Recording, KeptName } from '../../http/recording/recording.ts'
import type { RunningSpan, SpanStart } from '../../base/timing/stopwatch.ts'
import { markSiteIn, type CallSites } from '../call-site.ts'

/** What every kind has in common. Times are milliseconds since the request started. */
export interface Happening {
  readonly startMs: number
  /** `null` if it did not end, its end is not reported, or it takes no time. */
  readonly durationMs: number | null
  readonly error: string | null
  /** `src/prices.ts:12`; `null` if unknown. */
  readonly callSite: string | null
}

export interface Activities<Facts> {
  readonly entries: readonly (Facts & Happening)[]
  /** Those beyond the limit. */
  readonly dropped: number
}

export interface MaskTools {
  readonly redactor: Redactor
  /** Absolute: files are named relative to it. */
  readonly projectRoot: string
  /** Whether addresses of recipients of mails are kept. */
  readonly capturesRecipients: boolean
}

/** Facts are plain JSON, at most a few KB each, not masked before `mask`. */
export interface ActivityKind<Facts extends object, Data extends Activities<Facts> = Activities<Facts>> {
  /** Of its collector and its panel. */
  readonly name: string
  /** Of its panel, for people. */
  readonly title: string
  readonly noun: readonly [one: string, many: string]
  /** What profiles it is about. Default: all. */
  readonly of?: 'requests'
  /** How many of a request are kept. */
  readonly most: number
  /** What the panel says if nothing happened: one sentence, and how to get something into it. */
  readonly empty: string
  /** What deserves a look. Default: what failed. */
  readonly flag?: { readonly word: string; readonly tone: 'warning' | 'error'; is(entry: Facts & Happening): boolean }
  /** How many things one entry stands for. Default 1. */
  count?(entry: Facts & Happening): number
  /** Said before the count: `2 of 3 reads hit`. Default: nothing. */
  remark?(entries: Data['entries']): string
  /** Every text of a profile is masked; this does what that needs to know of the kind. */
  mask?(entry: Facts & Happening, tools: MaskTools): Partial<Facts & Happening>
  /** Makes entries smaller before later ones are left out. Default: nothing. */
  shrink?(entries: Data['entries'], maxBytes: number): Data['entries']
  /** What is known beside the entries; unless it is all `null`, there is a panel even without one. Default: nothing. */
  beside?(client: RecordedClient | undefined): Omit<Data, keyof Activities<Facts>>
  /** What the panel says of them. */
  draw(data: Data): Blocks
}

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
