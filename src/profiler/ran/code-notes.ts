// Puts what was noted together: which call of a function ran which lines, and what its variables were.

import type { CallSiteObject } from 'node:util'
import type { SeenCall, SeenNote, SeenPlace } from '../../framework/recording/seen-code.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import type { CodeFunction, CodeScopes } from './code-scopes.ts'
import { maxValues, type RanCall, type RanLine } from './ran-code.ts'

/** A function whose lines are noted. */
export interface TracedFunction {
  readonly index: number
  readonly scriptId: string
  readonly code: CodeFunction
  readonly scopes: CodeScopes
  readonly head: SeenPlace
  readonly endLine: number
}

/** Where something is noted. */
export interface CodePlace {
  readonly of: TracedFunction
  /** Among the places of its function. */
  readonly index: number
  readonly offset: number
  readonly line: number
  /** `null` where only the line is known. */
  readonly column: number | null
  /** `entry` is passed first and once; `start` first, and again where it is in a loop. */
  readonly kind: 'entry' | 'start' | 'return' | 'throw' | 'other'
  readonly mayWait: boolean
  readonly names: readonly string[]
}

interface NotedLine {
  /** How often each place of it was passed. */
  readonly counts: Map<number, number>
  readonly values: Map<string, { readonly texts: string[]; readonly steps: number[] }>
}

interface Frame {
  readonly of: TracedFunction
  readonly parent: Frame | undefined
  readonly at: number
  /** Frames from the bottom of the stack up to it, when it last ran. */
  depth: number
  /** The place that it was called from. */
  caller: string | undefined
  last: CodePlace | undefined
  readonly values: Map<string, string>
  readonly lines: Map<number, NotedLine>
  readonly path: number[]
  readonly times: number[]
  cutAt: number | null
  readonly notes: SeenNote[]
  /** Whether another call may be meant. */
  isUnsure: boolean
}

const maxCalls = 200
const maxLength = 200
/** Steps of one call, and of all of them. */
const maxSteps = 1000
const maxAllSteps = 8000

export class CodeNotes {
  readonly #redactor: Redactor
  readonly #elapsedMs: () => number
  readonly #frames: Frame[] = []
  readonly #stack: Frame[] = []
  /** Functions that are not noted to the end. */
  readonly #left = new Set<TracedFunction>()
  #steps = 0
  #dropped = 0
  #noted = 0

  /** `elapsedMs`: since the request began. */
  constructor(redactor: Redactor, elapsedMs: () => number) {
    this.#redactor = redactor
    this.#elapsedMs = elapsedMs
  }

  /** One of its places is noted no more. */
  leave(of: TracedFunction): void {
    this.#left.add(of)
    for (const frame of this.#frames) if (frame.of === of) cut(frame)
  }

  /** `read` gives a function for each name of the place. `sites` is the stack, innermost first. */
  note(place: CodePlace, read: () => readonly (() => unknown)[], sites: readonly CallSiteObject[]): void {
    const at = sites.findIndex((site) => isAt(place, site))
    if (at < 0) return
    const values = this.#read(place, read)
    const frame = this.#frameOf(place, at, sites, values)
    if (frame === undefined) return
    // What differs was changed by the line before; before the first line by the caller.
    const before = lineOf(frame, frame.last?.line ?? place.of.head.line)
    const { counts } = lineOf(frame, place.line)
    const step = frame.path.length - 1
    if (place.kind !== 'return') {
      counts.set(place.offset, (counts.get(place.offset) ?? 0) + 1)
      if (frame.path.length >= maxSteps || this.#steps >= maxAllSteps) cut(frame)
      if (frame.cutAt === null) {
        this.#steps += 1
        frame.path.push(place.index)
        frame.times.push(Math.round(this.#elapsedMs() * 1000) / 1000)
      }
    }
    const changed = new Map([...values].filter(([name, text]) => frame.values.get(name) !== text))
    const { line, column } = place
    frame.notes.push({ line, column, at: this.#noted, names: [...values.keys()], changed })
    this.#noted += 1
    for (const [name, text] of changed) {
      frame.values.set(name, text)
      const known = before.values.get(name) ?? { texts: [], steps: [] }
      const at = Math.min(known.texts.length, maxValues - 1)
      known.texts[at] = text
      known.steps[at] = step
      before.values.set(name, known)
    }
    frame.last = place
  }

  #read({ names }: CodePlace, read: () => readonly (() => unknown)[]): ReadonlyMap<string, string> {
    const values = new Map<string, string>()
    for (const [index, value] of read().entries()) {
      const name = names[index] ?? ''
      try {
        values.set(name, this.#redactor.property({ [name]: value() }, name, maxLength))
      } catch {
        // Not there yet.
      }
    }
    return values
  }

  #frameOf(
    place: CodePlace,
    at: number,
    sites: readonly CallSiteObject[],
    values: ReadonlyMap<string, string>,
  ): Frame | undefined {
    const depth = sites.length - at
    const below = sites[at + 1]
    const isOwn = below !== undefined && !below.scriptName.startsWith('node:')
    const caller = isOwn ? `${below.scriptId}:${below.lineNumber}:${below.columnNumber}` : undefined
    const isOn = (frame: Frame): boolean => {
      if (frame.depth === depth) return frame.of === place.of
      const site = sites[sites.length - frame.depth]
      return frame.depth < depth && site !== undefined && isIn(frame.of, site)
    }
    let top = this.#stack.at(-1)
    while (top !== undefined && !isOn(top)) {
      this.#stack.pop()
      top = this.#stack.at(-1)
    }
    if (top?.depth === depth) {
      // What waited may not be what goes on.
      if (top.last?.kind !== 'return' && top.last?.mayWait !== true && !isNew(top, place, caller)) return top
      this.#stack.pop()
    }
    const waiting = isNew(top, place, caller) ? undefined : this.#waiting(place, values)
    const frame = waiting ?? this.#begin(place.of)
    if (frame === undefined) return undefined
    frame.depth = depth
    frame.caller = caller
    this.#stack.push(frame)
    return frame
  }

  #begin(of: TracedFunction): Frame | undefined {
    if (this.#frames.length >= maxCalls) {
      this.#dropped += 1
      return undefined
    }
    const parent = this.#stack.at(-1)
    const frame: Frame = {
      of,
      parent,
      at: parent === undefined ? -1 : parent.path.length - 1,
      depth: 0,
      caller: undefined,
      last: undefined,
      values: new Map(),
      lines: new Map(),
      path: [],
      times: [],
      cutAt: this.#left.has(of) ? 0 : null,
      notes: [],
      isUnsure: false,
    }
    this.#frames.push(frame)
    return frame
  }

  /** The call that stopped in the middle and has the same values; of several the one that began first. */
  #waiting({ of, offset }: CodePlace, values: ReadonlyMap<string, string>): Frame | undefined {
    const waiting = this.#frames.filter(
      ({ of: other, last }) => other === of && last?.mayWait === true && last.kind !== 'return',
    )
    const likeness = ({ values: known }: Frame): number =>
      [...values].filter(([name, text]) => known.get(name) === text).length
    const distance = ({ last }: Frame): number => Math.abs(offset - (last?.offset ?? 0))
    const [best, next] = waiting.toSorted(
      (one, other) => likeness(other) - likeness(one) || distance(one) - distance(other),
    )
    if (best !== undefined && next !== undefined && likeness(best) === likeness(next))
      for (const frame of waiting) frame.isUnsure = true
    return best
  }

  /** The calls so far; `undefined` where some were dropped. */
  seen(): readonly SeenCall[] | undefined {
    const calls = new Map<Frame, SeenCall>()
    for (const frame of this.#frames) {
      const { of, parent, last, notes, isUnsure, cutAt } = frame
      const isWhole = !isUnsure && cutAt === null
      const above = parent && calls.get(parent)
      const { endLine } = of
      calls.set(frame, { ...of.head, name: of.code.name, endLine, parent: above, end: endOf(last), isWhole, notes })
    }
    return this.#dropped === 0 ? [...calls.values()] : undefined
  }

  /** In the order in which they began. `isEarly`: before the request ended. */
  calls(isEarly: boolean): { readonly calls: readonly RanCall[]; readonly dropped: number } {
    const calls = this.#frames.map((frame): RanCall => {
      const { of, parent, at, last, lines, path, times } = frame
      if (isEarly && last?.kind !== 'return') cut(frame)
      return {
        function: of.index,
        parent: parent === undefined ? -1 : this.#frames.indexOf(parent),
        at,
        path,
        times,
        cutAt: frame.cutAt,
        end: endOf(last),
        lines: [...lines]
          .toSorted(([one], [other]) => one - other)
          .map(([line, { counts, values }]): RanLine => ({
            line,
            count: Math.max(0, ...counts.values()),
            values: [...values].map(([name, { texts, steps }]) => [name, texts, steps]),
          })),
      }
    })
    return { calls, dropped: this.#dropped }
  }
}

function endOf(last: CodePlace | undefined): RanCall['end'] {
  return last?.kind === 'return' ? 'returned' : last?.kind === 'throw' ? 'threw' : null
}

function cut(frame: Frame): void {
  frame.cutAt ??= frame.path.length
}

function lineOf(frame: Frame, line: number): NotedLine {
  const known = frame.lines.get(line)
  if (known !== undefined) return known
  const made = { counts: new Map<number, number>(), values: new Map<string, { texts: string[]; steps: number[] }>() }
  frame.lines.set(line, made)
  return made
}

/** Whether a place begins another call than the one that ran last. */
function isNew(top: Frame | undefined, { kind, offset }: CodePlace, caller: string | undefined): boolean {
  const last = top?.last
  // Default values of parameters run before the first line.
  if (kind === 'entry') return last === undefined || last.kind === 'return' || last.offset >= offset
  // What waited goes on without its caller.
  if (kind !== 'start' || caller === undefined) return false
  return last === undefined || last.kind === 'return' || last.mayWait || top?.caller !== caller
}

function isAt({ of, offset }: CodePlace, { scriptId, lineNumber, columnNumber }: CallSiteObject): boolean {
  return scriptId === of.scriptId && of.scopes.offsetOf(lineNumber, columnNumber) === offset
}

function isIn({ scriptId, code, scopes }: TracedFunction, site: CallSiteObject): boolean {
  if (site.scriptId !== scriptId) return false
  const offset = scopes.offsetOf(site.lineNumber, site.columnNumber)
  // It returns behind its last character.
  return scopes.functionAt(offset)?.node === code.node || offset === code.end
}
