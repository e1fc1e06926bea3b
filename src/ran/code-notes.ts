// Puts what was noted together: which call of a function ran which lines, and what its variables were.

import type { CallSiteObject } from 'node:util'
import type { SeenCall, SeenNote } from '../http/recording/recording.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { mask } from '../base/redact/rules.ts'
import type { Node } from '../errors/source/syntax.ts'
import type { CodePlace, CodeVariable, TracedFunction } from './code-scopes.ts'
import { OddNotes } from './odd-notes.ts'
import { maxValues, type RanCall, type RanLine } from '../observe/ran-code.ts'

type ReadValues = () => readonly (() => unknown)[]

interface NotedLine {
  /** How often each place of it was passed. */
  readonly counts: Map<number, number>
  readonly values: Map<string, { readonly texts: string[]; readonly steps: number[] }>
}

interface ReadValue {
  readonly variable: CodeVariable
  readonly value: unknown
  readonly text: string
}

interface ReadPlace {
  readonly values: ReadonlyMap<number, ReadValue>
  readonly named: ReadonlyMap<string, unknown>
}

interface NotedValue extends ReadValue {
  /** Where it was read, and before which step. */
  readonly at: CodePlace
  readonly step: number
}

interface Frame {
  readonly of: TracedFunction
  readonly parent: Frame | undefined
  readonly at: number
  /** Frames from the bottom of the stack up to it, when it last ran. */
  depth: number
  /** The place that it was called from, and the call that it ran in last. */
  caller: string | undefined
  consumer: Frame | undefined
  last: CodePlace | undefined
  /** Number of the note before which it was noted last. */
  ranAt: number
  awaits: object | undefined
  isResumed: boolean
  /** What goes through it if it is a generator, with the note of `made` at which that began. */
  through: readonly [by: Node, since: number | undefined] | undefined
  /** By what goes through a generator that this call makes: the last note that made one. */
  readonly made: Map<Node, number>
  /** By where they are declared. */
  readonly values: Map<number, NotedValue>
  readonly lines: Map<number, NotedLine>
  readonly path: number[]
  readonly times: number[]
  cutAt: number | null
  readonly notes: SeenNote[]
  readonly texts: Map<string, string>
  /** Whether another call may be meant. */
  isUnsure: boolean
}

/** Calls that are kept: the first ones, and not many of one function where there are more. */
const maxCalls = 200
const maxCallsOfOne = 10
const maxLength = 200
/** Steps of one call, and of all of them. */
const maxSteps = 1000
const maxAllSteps = 8000
/** Shorter texts have many meanings, in characters. */
const minHidden = 6

export class CodeNotes {
  readonly #redactor: Redactor
  readonly #elapsedMs: () => number
  readonly #frames: Frame[] = []
  readonly #waiting = new WeakMap<object, Frame>()
  #stack: Frame[] = []
  #resumed: Frame | undefined
  /** Functions that are not noted to the end: what changes there is not known. */
  readonly #left = new Set<TracedFunction>()
  #steps = 0
  #notes = 0
  chars = 0
  readonly odd: OddNotes
  /** What a name has masked, under every name from then on: `const given = password`. */
  readonly #hidden = new Set<string>()

  /** `elapsedMs`: since the request began. */
  constructor(redactor: Redactor, elapsedMs: () => number) {
    this.#redactor = redactor
    this.#elapsedMs = elapsedMs
    this.odd = new OddNotes(
      (name, value) => this.#textOf(name, value),
      () => this.#timeMs(),
    )
  }

  /** Whether a call that is noted may run. */
  get isRunning(): boolean {
    return this.#stack.length > 0 || this.#resumed !== undefined
  }

  /** One of its places is noted no more. */
  leave(of: TracedFunction): void {
    this.#left.add(of)
    this.odd.traced.delete(of.code.node)
    for (const frame of this.#frames) if (frame.of === of) cut(frame)
  }

  /** `read` gives a function for each variable of the place. `sites` is the stack, innermost first. */
  note(place: CodePlace, read: ReadValues, sites: readonly CallSiteObject[]): void {
    const at = sites.findIndex((site) => isAt(place, site))
    if (at < 0) return
    this.#putResumed(sites)
    const { values, named } = this.#read(place, read)
    const frame = this.#frameOf(place, at, sites, values)
    const { last, path, cutAt } = frame
    if (last !== undefined && cutAt === null && place.of.code.node.async) {
      const isLeft = (one: Frame): boolean => one.awaits !== undefined && one.parent === frame
      const left = this.#frames.filter((one) => isLeft(one) && one.at === path.length - 1)
      this.odd.lookForLeft(last, left)
    }
    this.odd.look(frame, last, place, named)
    const { counts } = lineOf(frame, place.line)
    const step = frame.path.length - 1
    if (place.isPassed) {
      counts.set(place.offset, (counts.get(place.offset) ?? 0) + 1)
      this.#step(frame, place)
    }
    const names: string[] = []
    const changes = new Map<string, string>()
    frame.notes.push({ line: place.line, column: place.column, at: this.#notes, names, changed: changes })
    for (const [declaredAt, { variable, value, text }] of values) {
      names.push(variable.name)
      if (frame.texts.get(variable.name) !== text) changes.set(variable.name, text)
      frame.texts.set(variable.name, text)
      const before = frame.values.get(declaredAt)
      const noted = { variable, value, text, at: place, step: step + 1 }
      frame.values.set(declaredAt, noted)
      if (before?.text === text || (frame.last !== undefined && this.#left.has(place.of))) continue
      this.chars += text.length
      const changed = changedAt(noted, before, frame)
      const line = lineOf(frame, changed.line)
      const known = line.values.get(variable.name) ?? { texts: [], steps: [] }
      const index = Math.min(known.texts.length, maxValues - 1)
      known.texts[index] = text
      known.steps[index] = changed.step
      line.values.set(variable.name, known)
    }
    frame.last = place
    frame.ranAt = this.#notes += 1
    if (place.through?.isMade === true) frame.made.set(place.through.by, this.#notes)
    frame.isResumed = false
  }

  #step(frame: Frame, { index }: CodePlace): void {
    if (frame.path.length >= maxSteps || this.#steps >= maxAllSteps) cut(frame)
    if (frame.cutAt !== null) return
    this.#steps += 1
    frame.path.push(index)
    frame.times.push(this.#timeMs())
  }

  #timeMs(): number {
    return Math.round(this.#elapsedMs() * 1000) / 1000
  }

  /** A promise was made: by V8, where a call stops to wait. */
  waits(promise: object, sites: readonly CallSiteObject[]): void {
    this.#putResumed(sites)
    const frame = this.#stack.findLast(({ of, depth }) => {
      const site = sites[sites.length - depth]
      return site !== undefined && isIn(of, site) && of.scopes.waitsAt(of.code, site.lineNumber, site.columnNumber)
    })
    if (frame === undefined) return
    frame.awaits = promise
    this.#waiting.set(promise, frame)
  }

  /** What waited for a promise goes on. */
  goesOn(promise: object): void {
    const frame = this.#waiting.get(promise)
    this.#stack = []
    this.#resumed = frame?.awaits === promise ? frame : undefined
    if (this.#resumed !== undefined) this.#resumed.awaits = undefined
  }

  stops(): void {
    this.#stack = []
    this.#resumed = undefined
  }

  /** The call that went on is the outermost one that is not Node's own. */
  #putResumed(sites: readonly CallSiteObject[]): void {
    const frame = this.#resumed
    if (frame === undefined) return
    this.#resumed = undefined
    const at = sites.findLastIndex(({ scriptName }) => !scriptName.startsWith('node:'))
    const site = sites[at]
    if (site === undefined || !isIn(frame.of, site)) return
    frame.isResumed = true
    frame.depth = sites.length - at
    frame.caller = undefined
    this.#stack = [frame]
  }

  /** `named` has what a statement names besides its variables, too. */
  #read({ variables, others }: CodePlace, read: ReadValues): ReadPlace {
    const [values, named] = [new Map<number, ReadValue>(), new Map<string, unknown>()]
    for (const [index, valueOf] of read().entries()) {
      const variable = variables[index]
      const name = variable?.name ?? others[index - variables.length] ?? ''
      try {
        const value = valueOf()
        named.set(name, value)
        if (variable) values.set(variable.declaredAt, { variable, value, text: this.#textOf(name, value) })
      } catch {
        // Not there yet, or under another name in what runs.
      }
    }
    return { values, named }
  }

  #textOf(name: string, value: unknown): string {
    const text = this.#redactor.property({ [name]: value }, name, maxLength)
    if (typeof value !== 'string' || value.length < minHidden) return text
    if (text === mask) this.#hidden.add(value)
    return this.#hidden.has(value) ? mask : text
  }

  #frameOf(
    place: CodePlace,
    at: number,
    sites: readonly CallSiteObject[],
    values: ReadonlyMap<number, ReadValue>,
  ): Frame {
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
      if (goesOnAt(top, place, caller)) return top
      this.#stack.pop()
    }
    const consumer = this.#stack.at(-1)
    const frame = this.#stopped(place, values, consumer) ?? this.#begin(place, consumer)
    frame.depth = depth
    frame.caller = caller
    frame.consumer = consumer
    this.#stack.push(frame)
    return frame
  }

  #begin({ of, kind }: CodePlace, parent: Frame | undefined): Frame {
    const by = of.code.isGenerator ? parent?.last?.through?.by : undefined
    const frame: Frame = {
      of,
      parent,
      at: parent === undefined ? -1 : parent.path.length - 1,
      depth: 0,
      caller: undefined,
      consumer: undefined,
      last: undefined,
      ranAt: 0,
      awaits: undefined,
      isResumed: false,
      through: by && [by, parent?.made.get(by)],
      made: new Map(),
      values: new Map(),
      lines: new Map(),
      path: [],
      times: [],
      // It had begun before.
      cutAt: kind === 'other' || kind === 'throw' || this.#left.has(of) ? 0 : null,
      notes: [],
      texts: new Map(),
      isUnsure: false,
    }
    this.#frames.push(frame)
    return frame
  }

  /** The call of a generator that stopped before and goes on: the one whose variables still have the same values. Of several the one that waited longest. */
  #stopped(place: CodePlace, values: ReadonlyMap<number, ReadValue>, consumer: Frame | undefined): Frame | undefined {
    if (!place.of.code.isGenerator || place.kind === 'parameter') return undefined
    const differences = ({ last, values: known }: Frame): number =>
      [...values].filter(([declaredAt, { value }]) => {
        const before = known.get(declaredAt)
        return before !== undefined && last?.yields?.has(declaredAt) !== true && !Object.is(before.value, value)
      }).length
    const stopped = this.#frames
      .filter((frame) => {
        const { of, last, awaits, parent, through: [by, since] = [] } = frame
        const isOver = by !== undefined && (parent?.made.get(by) !== since || (consumer ?? parent) !== parent)
        if (of !== place.of || isOver || awaits !== undefined || this.#stack.includes(frame)) return false
        if (last === undefined) return false
        if (place.kind === 'entry') return last.kind === 'parameter'
        return last.yields !== undefined && last.kind !== 'return'
      })
      .map((frame) => ({ frame, differs: differences(frame), moved: frame.consumer === consumer ? 0 : 1 }))
      .toSorted(
        (one, other) => one.differs - other.differs || one.moved - other.moved || one.frame.ranAt - other.frame.ranAt,
      )
    const [found, next] = stopped
    if (next !== undefined && next.differs === found?.differs) for (const { frame } of stopped) frame.isUnsure = true
    if (place.kind === 'start' && found !== undefined && found.differs > 0) return undefined
    return found?.frame
  }

  seen(): readonly SeenCall[] {
    const calls = new Map<Frame, SeenCall>()
    for (const frame of this.#frames) {
      const { of, parent, last, notes, isUnsure, cutAt } = frame
      const isWhole = !isUnsure && cutAt === null
      const above = parent && calls.get(parent)
      const { endLine } = of
      calls.set(frame, {
        ...of.head,
        name: of.code.name,
        endLine,
        parent: above,
        end: endOf(last),
        isWhole,
        odd: this.odd.toldOf(of),
        notes,
      })
    }
    return [...calls.values()]
  }

  /** In the order in which they began. `isEarly`: before the request ended. */
  calls(isEarly: boolean): { readonly calls: readonly RanCall[]; readonly dropped: number } {
    const known = new Map<TracedFunction, number>()
    const isKept = ({ of }: Frame): boolean => {
      known.set(of, (known.get(of) ?? 0) + 1)
      return this.#frames.length <= maxCalls || (known.get(of) ?? 0) <= maxCallsOfOne
    }
    const kept = this.#frames.filter(isKept).slice(0, maxCalls)
    const calls = kept.map((frame): RanCall => {
      const { of, parent, at, last, lines, path, times } = frame
      if (isEarly && last?.kind !== 'return') cut(frame)
      return {
        function: of.index,
        parent: parent === undefined ? -1 : kept.indexOf(parent),
        at,
        path,
        times,
        cutAt: frame.cutAt,
        end: endOf(last),
        lines: [...lines]
          .filter(([, { counts, values }]) => counts.size > 0 || values.size > 0)
          .toSorted(([one], [other]) => one - other)
          .map(([line, { counts, values }]): RanLine => ({
            line,
            count: Math.max(0, ...counts.values()),
            values: [...values].map(([name, { texts, steps }]) => [name, texts, steps]),
          })),
      }
    })
    return { calls, dropped: this.#frames.length - kept.length }
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

/** The line that gave a variable its value, and the step: the one before, mostly. For what the function had when it was called there is none. */
function changedAt(
  { variable, step }: NotedValue,
  known: NotedValue | undefined,
  { of, last, notes }: Frame,
): { readonly line: number; readonly step: number } {
  const { from, to } = variable
  if (last === undefined) return { line: of.head.line, step: -1 }
  const isBefore = known?.at === last || (from <= last.offset && last.offset < to)
  if (isBefore) return { line: last.line, step: step - 1 }
  // Another variable of its name was in front of it.
  if (known !== undefined && last.offset >= to) return { line: known.at.line, step: known.step }
  const line = to === 0 ? of.head.line : of.lineOf(variable.declaredAt)
  return { line, step: notes.findLastIndex((one) => one.line === line) }
}

/** Whether the call that ran last at this height of the stack goes on at a place. Otherwise another one began, or another generator went on. */
function goesOnAt(
  { last, awaits, isResumed, caller: known }: Frame,
  { kind, offset }: CodePlace,
  caller: string | undefined,
): boolean {
  if (isResumed) return true
  if (last === undefined || last.kind === 'return') return false
  if (kind === 'parameter') return last.kind === 'parameter' && offset > last.offset
  if (last.yields !== undefined) return false
  if (kind === 'entry') return last.kind === 'parameter' && !last.of.code.isGenerator
  return kind !== 'start' || (awaits === undefined && known === caller)
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
