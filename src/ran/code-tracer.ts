// Notes which lines of the application's own code one request runs, with the values of its variables, without a pause: a breakpoint whose
// condition notes and is false is passed by.

import type { Debugger } from 'node:inspector'
import { getCallSites, type CallSiteObject } from 'node:util'
import { promiseHooks } from 'node:v8'
import { statementIn } from '../origins/functions.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { Recording } from '../http/recording/recording.ts'
import { clearTimeout, performance, setTimeout } from '../base/timing/builtins.ts'
import { countsCoverage } from '../measuring/function-profiles.ts'
import type { CodeTracing } from '../measuring/measuring.ts'
import { CodeNotes } from './code-notes.ts'
import type { CodePlace, TracedFunction } from './code-scopes.ts'
import { OwnInspector, type OwnScript, type ParsedScript } from './own-script.ts'
import type { RanCode, RanFunction } from '../observe/ran-code.ts'
import { foundName, type Found } from '../observe/profile.ts'

const maxFunctions = 300
/** Places of one function: V8 takes a second for 300 of them, and half a minute for 1,000. */
const maxPlaces = 150
/** How often one place is noted, and all of them. Passing it in another request counts a quarter: it is slow too. */
const maxHits = 500
const maxNotes = 20_000
/** What the notes may take together: milliseconds that the request waits for them, and characters. */
const maxAddedMs = 2000
const maxChars = 2 * 1024 * 1024
/** A condition takes about so long before it notes anything, in milliseconds. */
const conditionMs = 0.05
/** Frames that Node gives of a stack at most. */
const maxSites = 200
const maxSourceLines = 150
/** A request that takes longer is traced no further, in milliseconds. */
const maxMs = 10_000
/** Requests whose functions are known until their lines are noted, and for how long, in milliseconds. */
const maxKnown = 50
const knownMs = 60_000

type ReadScripts = Map<string, OwnScript | undefined>

interface FoundFunction {
  readonly script: ParsedScript
  readonly start: number
  readonly end: number
}

/** What the first of two requests found. */
interface FoundFunctions {
  readonly functions: readonly FoundFunction[]
  /** Parsed, by id, while memory is not needed. */
  readonly scripts: WeakRef<ReadScripts>
  readonly cuts: readonly string[]
  readonly untilMs: number
}

/** `cuts` say why it ends before the request did. */
type EndTrace = (cuts: readonly string[]) => RanCode

/** One for each application in debug. Traces one request at a time. */
export class CodeTracer implements CodeTracing {
  readonly #projectRoot: string
  readonly #known = new Map<string, FoundFunctions>()
  #isRunning = false

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string) {
    this.#projectRoot = projectRoot
  }

  /** `request` names what is sent twice: the first one finds its functions. `problem` says why nothing is traced. */
  start(request: string, recording: Recording): { stop(): RanCode } | { readonly problem: string } {
    if (this.#isRunning) return { problem: 'The code of another request is traced at this moment.' }
    if (countsCoverage()) return { problem: 'This process counts coverage, which finding the functions would end.' }
    this.#isRunning = true
    const known = this.#known.get(request)
    this.#known.delete(request)
    let inspector: OwnInspector | undefined
    const close = (): void => {
      inspector?.close()
      this.#isRunning = false
    }
    try {
      inspector = new OwnInspector(this.#projectRoot)
      const isKnown = known !== undefined && known.untilMs > performance.now()
      const end = isKnown ? this.#traceLines(inspector, known, recording) : this.#findFunctions(inspector, request)
      let result: (() => RanCode) | undefined
      const finish = (cuts: readonly string[]): (() => RanCode) => {
        if (result !== undefined) return result
        clearTimeout(late)
        recording.seenCalls = undefined
        try {
          const code = end(cuts)
          result = () => code
        } catch (failure) {
          result = () => {
            throw failure
          }
        }
        close()
        return result
      }
      const late = setTimeout(() => finish(['Nothing was noted after the first 10 seconds.']), maxMs).unref()
      return { stop: () => finish([])() }
    } catch (error) {
      close()
      throw error
    }
  }

  #findFunctions(inspector: OwnInspector, request: string): EndTrace {
    inspector.post('Profiler.enable')
    inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    inspector.post('Profiler.takePreciseCoverage')
    return (late) => {
      const { result } = inspector.post('Profiler.takePreciseCoverage')
      inspector.post('Profiler.stopPreciseCoverage')
      inspector.post('Debugger.enable')
      const found: FoundFunction[] = []
      const scripts: ReadScripts = new Map()
      const functions: RanFunction[] = []
      let more = 0
      for (const { scriptId, url, functions: covered } of result) {
        const called = covered.flatMap(({ ranges: [range] }) => (range !== undefined && range.count > 0 ? range : []))
        const script = called.length === 0 ? undefined : inspector.read({ scriptId, url })
        scripts.set(scriptId, script)
        for (const { startOffset: start, endOffset: end } of called) {
          const code = script?.scopes.functionFrom(start, end)
          if (script === undefined || code === undefined) continue
          if (found.length >= maxFunctions) {
            more += 1
            continue
          }
          found.push({ script: { scriptId, url }, start, end })
          const { file, line } = script.placeOf(code.start)
          functions.push({ name: code.name, file, line, source: [], places: [] })
        }
      }
      const cuts = more === 0 ? late : [...late, `${more} more functions ran; only ${maxFunctions} are looked at.`]
      const [oldest] = this.#known.keys()
      if (oldest !== undefined && this.#known.size >= maxKnown) this.#known.delete(oldest)
      const untilMs = performance.now() + knownMs
      this.#known.set(request, { functions: found, scripts: new WeakRef(scripts), cuts, untilMs })
      return { state: 'functions', functions, calls: [], dropped: 0, cuts }
    }
  }

  #traceLines(inspector: OwnInspector, found: FoundFunctions, recording: Recording): EndTrace {
    const loaded = new Set<string>()
    inspector.onScript(({ scriptId }) => loaded.add(scriptId))
    inspector.post('Debugger.enable')
    // A `debugger` statement of the application must not stop it.
    inspector.post('Debugger.setSkipAllPauses', { skip: true })
    inspector.prepareAll()
    const lines = new LineTrace(inspector, recording)
    const functions: RanFunction[] = []
    const read: ReadScripts = found.scripts.deref() ?? new Map()
    for (const { script: parsed, start, end } of found.functions) {
      const { scriptId } = parsed
      if (!loaded.has(scriptId)) continue
      if (!read.has(scriptId)) read.set(scriptId, inspector.read(parsed))
      const script = read.get(scriptId)
      const code = script?.scopes.functionFrom(start, end)
      if (script === undefined || code === undefined) continue
      const { scopes, placeOf } = script
      const head = placeOf(code.start)
      const { file, line } = head
      const endLine = placeOf(code.end - 1).line
      const lineOf = (offset: number): number => placeOf(offset).line
      const traced = { index: functions.length, scriptId, code, scopes, head, endLine, lineOf }
      const own = placesOf(inspector, traced, { start, placeOf })
      lines.add(traced, own)
      const last = Math.min(endLine, line + maxSourceLines - 1)
      const source = script.linesOf(file).slice(line - 1, last)
      functions.push({
        name: code.name,
        file,
        line,
        source,
        moreLines: endLine - last,
        places: own.map(({ place: { isPassed, line: at } }) => (isPassed ? at : 0)),
      })
    }
    return (late) => lines.end(functions, found.cuts, late)
  }
}

interface Breakpoint {
  readonly place: CodePlace
  readonly breakpointId: string
  hits: number
  isGone: boolean
}

/** The breakpoints of one request, whose conditions note. */
class LineTrace {
  readonly #inspector: OwnInspector
  readonly #recording: Recording
  readonly #notes: CodeNotes
  readonly #points: Breakpoint[] = []
  readonly #name: string
  readonly #unfollow: unknown
  #cuts = new Set<string>()
  #left = maxNotes
  #addedMs = 0
  #isOver = false

  constructor(inspector: OwnInspector, recording: Recording) {
    this.#inspector = inspector
    this.#recording = recording
    this.#notes = new CodeNotes(recording.redactor, () => recording.stopwatch.elapsedMs())
    recording.seenCalls = () => this.#notes.seen()
    this.#name = `__fanlight_${recording.token}`
    Object.defineProperty(globalThis, this.#name, { value: this.#note.bind(this), configurable: true })
    this.#unfollow = promiseHooks.createHook({
      init: (promise) => {
        if (this.#notes.isRunning && this.#isOwn()) this.#added(() => this.#notes.waits(promise, callSites()))
      },
      before: (promise) => this.#notes.goesOn(promise),
      after: () => this.#notes.stops(),
    })
  }

  add(of: TracedFunction, places: readonly LocatedPlace[]): void {
    this.#notes.odd.traced.add(of.code.node)
    if (places.length > maxPlaces) {
      this.#notes.leave(of)
      this.#cuts.add(`"${of.code.name}" has ${places.length} places; only the first ${maxPlaces} are noted.`)
    }
    for (const { location, place } of places.slice(0, maxPlaces)) {
      const names = [...place.variables.map(({ name }) => name), ...place.others]
      const values = names.map((name) => `()=>${name}`).join(',')
      const condition = `globalThis.${this.#name}(${this.#points.length},()=>[${values}])`
      const asked = { location, condition }
      const { breakpointId } = this.#inspector.post('Debugger.setBreakpoint', asked)
      this.#points.push({ place, breakpointId, hits: 0, isGone: false })
    }
  }

  #isOwn(): boolean {
    return !this.#isOver && currentExchange()?.recording === this.#recording
  }

  #note(index: number, read: () => readonly (() => unknown)[]): false {
    const point = this.#points[index]
    if (point === undefined || this.#isOver) return false
    const isOwn = this.#isOwn()
    point.hits += isOwn ? 1 : 0.25
    this.#left -= 1
    this.#addedMs += conditionMs
    if (isOwn) {
      this.#added(() => {
        const sites = callSites()
        if (sites.length < maxSites) this.#notes.note(point.place, read, sites)
        else this.#cuts.add(`Calls deeper than ${maxSites} frames are not noted.`)
      })
    }
    if (point.hits >= maxHits) this.#remove(point)
    if (this.#left <= 0) this.#stop(`Nothing was noted after ${maxNotes} notes.`)
    else if (this.#addedMs > maxAddedMs) this.#stop('Nothing was noted after noting had taken 2 seconds.')
    else if (this.#notes.chars > maxChars) this.#stop('Nothing was noted after 2 MB of values.')
    return false
  }

  #added(work: () => void): void {
    const startedMs = performance.now()
    this.#recording.aside(work)
    this.#addedMs += performance.now() - startedMs
  }

  #remove(point: Breakpoint): void {
    if (point.isGone) return
    point.isGone = true
    this.#notes.leave(point.place.of)
    this.#inspector.post('Debugger.removeBreakpoint', { breakpointId: point.breakpointId })
  }

  #stop(cut: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cuts.add(cut)
    for (const { breakpointId, isGone } of this.#points) {
      if (!isGone) this.#inspector.post('Debugger.removeBreakpoint', { breakpointId })
    }
  }

  /** `known` was cut by the first request, `late` says why this one ends early. */
  end(functions: readonly RanFunction[], known: readonly string[], late: readonly string[]): RanCode {
    if (typeof this.#unfollow === 'function') this.#unfollow()
    Reflect.deleteProperty(globalThis, this.#name)
    const isEarly = this.#isOver || late.length > 0
    this.#isOver = true
    this.#notes.odd.end()
    this.#recording.keptOr(foundName, (): Found[] => []).push(...this.#notes.odd.found)
    return { state: 'lines', functions, ...this.#notes.calls(isEarly), cuts: [...known, ...this.#cuts, ...late] }
  }
}

function callSites(): readonly CallSiteObject[] {
  return getCallSites(maxSites, { sourceMap: false })
}

interface LocatedPlace {
  readonly location: Debugger.BreakLocation
  readonly place: CodePlace
}

/** The places of a function, without those of functions inside it. `start` is where V8 begins it. */
function placesOf(
  inspector: OwnInspector,
  traced: TracedFunction,
  { start, placeOf }: { readonly start: number; readonly placeOf: OwnScript['placeOf'] },
): readonly LocatedPlace[] {
  const { code, scopes } = traced
  const locations = inspector.breakLocations(traced, scopes, [start, code.end + 1])
  const all = locations.map((location) => {
    const offset = scopes.offsetOf(location.lineNumber + 1, (location.columnNumber ?? 0) + 1)
    // A function returns behind the statement.
    const statement = statementIn(code.node, location.type === 'return' ? offset - 1 : offset)
    return { location, offset, statement }
  })
  // V8 stops at the first call of a statement that is nothing else.
  const stopped = new Set(all.flatMap(({ location, statement }) => (location.type === undefined ? [statement] : [])))
  const own = all.filter(({ location: { type }, statement }) => {
    if (type !== 'call') return type === undefined || type === 'return'
    const isFirst = !stopped.has(statement)
    stopped.add(statement)
    return isFirst
  })
  const body = code.node.body.start ?? code.start
  const first = own.find(({ offset, location: { type }, statement }) => {
    return offset >= body && type !== 'return' && !scopes.isOfLoop(statement, offset)
  })
  const firstKind = first !== undefined && scopes.repeatsAt(code, first.offset) ? 'start' : 'entry'
  return own.map(({ location, offset, statement }, index) => ({
    location,
    place: {
      ...placeOf(offset),
      of: traced,
      index,
      offset,
      // V8 leaves out the statement where it has nothing to do but to return.
      isPassed: location.type !== 'return' || (returning.test(statement.type) && !stopped.has(statement)),
      kind:
        location.type === 'return'
          ? 'return'
          : offset < body
            ? 'parameter'
            : offset === first?.offset
              ? firstKind
              : statement.type === 'ThrowStatement'
                ? 'throw'
                : 'other',
      yields: scopes.yieldsAt(code, offset),
      through: scopes.throughAt(statement, offset),
      variables: scopes.variablesAt(code, offset, location.type === 'return'),
      others: scopes.othersAt(code, statement),
    },
  }))
}

/** A statement that returns, or the expression that a function is. */
const returning = /^Return|(?<!Statement|Declaration)$/
