// The statements of one request as flat lists, written as they run: an object for each costs more than its values, and most of
// what it says comes again in the next request.

import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import type { Recording } from '../../framework/recording/recording.ts'
import { AssumedSite } from './assumed-site.ts'
import type { CallSiteMark, CallSites } from './call-site.ts'
import { failureText } from './failure-text.ts'
import { notKnown } from './known-figure.ts'
import { steers } from './repeats.ts'
import type { CommonParts, StatementFacts, StatementKind } from './statement-kind.ts'
import type { UsualCaller } from './usual-caller.ts'

/** The statements of one request as plain facts: numbers apart, and of what comes again the same objects each time. */
export interface PackedStatements {
  /** How many were dropped, length of the request, then `statementFigures` for each statement. */
  readonly figures: readonly number[]
  /** What other requests have too; the keys, one after the other; the errors, not masked yet, or `null` for none. */
  readonly more: readonly [common: CommonParts, keys: string, errors: readonly string[] | null]
}

/** Numbers before those of the first statement. */
export const headFigures = 2
/**
 * Where among the numbers of a statement which one stands: the places of its facts, its call site and its error in their lists,
 * its times, its rows, and what the stopwatch knows its span by.
 */
export const figureAt = {
  facts: 0,
  callSite: 1,
  start: 2,
  duration: 3,
  rows: 4,
  keyLength: 5,
  error: 6,
  span: 7,
} as const
/** Numbers that stand for one statement. */
export const statementFigures = 8

/** Queries of one text are worth a word from so many on. */
const fewestAlike = 3
/** Things of one list that are remembered for the next request. */
const maxCommon = 20

/** A stack to look into when the profile is made, and the statement that was sent there. */
interface UnreadSite {
  readonly place: number
  readonly mark: CallSiteMark
  readonly caller: UsualCaller | null
}

/** Statements that run, or have ended, by their place: the first one has 0. */
export class StatementList {
  readonly #recording: Recording
  readonly #figures: number[]
  readonly #kinds: StatementKind[] = []
  readonly #callSites: string[] = []
  #keys = ''
  #errors: string[] | null = null
  #unread: UnreadSite[] | null = null

  constructor(recording: Recording) {
    this.#recording = recording
    // Both are written when they are packed. V8 keeps a list that begins with a fraction as one of fractions from the start.
    this.#figures = [0, recording.stopwatch.startedMs]
  }

  get length(): number {
    return (this.#figures.length - headFigures) / statementFigures
  }

  /** Notes a statement that began so many milliseconds ago, and gives its place. `caller` learns where it was sent from. */
  begin(
    kind: StatementKind,
    key: string | null,
    site: CallSiteMark | null,
    caller: UsualCaller | null,
    agoMs: number,
  ): number {
    const { stopwatch } = this.#recording
    const startMs = Math.max(0, stopwatch.elapsedMs() - agoMs)
    const figures = this.#figures
    const place = this.length
    figures.push(placeIn(this.#kinds, kind))
    figures.push(site instanceof AssumedSite ? placeIn(this.#callSites, site.name) : notKnown)
    figures.push(startMs)
    figures.push(notKnown)
    figures.push(notKnown)
    figures.push(key === null ? notKnown : key.length)
    figures.push(notKnown)
    figures.push(stopwatch.startClient(kind.spanName, 'store', startMs, kind.attributes))
    if (key !== null) this.#keys += key
    if (site !== null && !(site instanceof AssumedSite)) {
      this.#unread ??= []
      this.#unread.push({ place, mark: site, caller })
    }
    return place
  }

  /** It went well; `rows` were read or changed. */
  end(place: number, rows: number | null): void {
    if (rows !== null) this.#figures[figureOf(place, figureAt.rows)] = rows
    this.#over(place, 'ok')
  }

  /** It did not. */
  fail(place: number, thrown: unknown): void {
    const { errorClass, message } = describeFailure(thrown)
    const kind = this.#kinds[this.#figures[figureOf(place, figureAt.facts)] ?? 0]
    this.#errors ??= []
    const error = this.#errors.push(failureText(`${errorClass}: ${message}`, kind?.facts.text.text ?? '')) - 1
    this.#figures[figureOf(place, figureAt.error)] = error
    this.#recording.stopwatch.setAttribute(this.#spanOf(place), 'error.type', errorClass)
    this.#over(place, 'error')
  }

  /** Its end is never told. */
  leave(place: number): void {
    this.#recording.stopwatch.end(this.#spanOf(place))
  }

  /** How often the most frequent query came, if three times or more; else 0. And how many failed. */
  tally(): { readonly alike: number; readonly failed: number } {
    const alike = new Map<string, number>()
    const figures = this.#figures
    let failed = 0
    for (let at = headFigures; at < figures.length; at += statementFigures) {
      if (figures[at + figureAt.error] !== notKnown) failed += 1
      const shape = this.#kinds[figures[at + figureAt.facts] ?? 0]?.facts.text.shape ?? ''
      if (!steers(shape)) alike.set(shape, (alike.get(shape) ?? 0) + 1)
    }
    const most = Math.max(0, ...alike.values())
    return { alike: most < fewestAlike ? 0 : most, failed }
  }

  /** Plain facts; the lists themselves, which change with further statements. */
  pack(dropped: number, callSites: CallSites): PackedStatements {
    this.#figures[0] = dropped
    this.#figures[1] = this.#recording.durationMs
    if (this.#unread !== null) this.#readSites(this.#unread, callSites)
    return { figures: this.#figures, more: [this.#commonParts(), this.#keys, this.#errors] }
  }

  #over(place: number, status: 'ok' | 'error'): void {
    const { stopwatch } = this.#recording
    const nowMs = stopwatch.elapsedMs()
    this.#figures[figureOf(place, figureAt.duration)] = nowMs - (this.#figures[figureOf(place, figureAt.start)] ?? 0)
    stopwatch.end(this.#spanOf(place), status, nowMs)
  }

  #spanOf(place: number): number {
    return this.#figures[figureOf(place, figureAt.span)] ?? 0
  }

  #readSites(unread: readonly UnreadSite[], callSites: CallSites): void {
    this.#unread = null
    for (const { place, mark, caller } of unread) {
      const name = callSites.find(mark, caller ?? undefined)
      if (name !== null) this.#figures[figureOf(place, figureAt.callSite)] = placeIn(this.#callSites, name)
    }
  }

  /** The very objects of the last request that began like this one, where they are the same. */
  #commonParts(): CommonParts {
    const kinds = this.#kinds
    const callSites = this.#callSites
    const first = kinds[0]
    const known = first?.common ?? null
    if (known !== null && areOf(known.facts, kinds) && areSame(known.callSites, callSites)) return known
    const common = { facts: kinds.map(({ facts }) => facts), callSites: callSites.slice() }
    if (first !== undefined && kinds.length <= maxCommon && callSites.length <= maxCommon) first.common = common
    return common
  }
}

function figureOf(place: number, figure: number): number {
  return headFigures + place * statementFigures + figure
}

/** Where a thing stands in a list; it is added where it does not. */
function placeIn<Thing>(list: Thing[], thing: Thing): number {
  for (let place = 0; place < list.length; place += 1) if (list[place] === thing) return place
  return list.push(thing) - 1
}

/** Whether these are the facts of these kinds. */
function areOf(facts: readonly StatementFacts[], kinds: readonly StatementKind[]): boolean {
  if (facts.length !== kinds.length) return false
  for (let place = 0; place < facts.length; place += 1) if (facts[place] !== kinds[place]?.facts) return false
  return true
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false
  for (let place = 0; place < one.length; place += 1) if (one[place] !== other[place]) return false
  return true
}
