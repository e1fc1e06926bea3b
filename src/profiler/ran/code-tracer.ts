// Notes which lines of the application's own code one request runs, with the values of its variables, without a pause: a breakpoint whose
// condition notes and is false is passed by.

import { getCallSites } from 'node:util'
import { frameFile, libraryFile, normalizeRoot } from '../../errors/frame-file.ts'
import { statementIn } from '../../errors/origins/functions.ts'
import { SourceMaps, StackFrames } from '../../errors/stack-frames.ts'
import type { SourceFiles } from '../../errors/source-files.ts'
import { libraryRoot } from '../../framework/config/own-package.ts'
import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { Recording } from '../../framework/recording/recording.ts'
import type { SeenPlace } from '../../framework/recording/seen-code.ts'
import { clearTimeout, performance, setTimeout } from '../../framework/timing/builtins.ts'
import { countsCoverage } from '../measuring/cpu-profile.ts'
import { CodeNotes, type CodePlace, type TracedFunction } from './code-notes.ts'
import { CodeScopes } from './code-scopes.ts'
import { OwnInspector, type ParsedScript, type ScriptCoverage, type ScriptLocation } from './own-inspector.ts'
import type { RanCode, RanFunction } from './ran-code.ts'

const maxFunctions = 300
/** How often one place is noted, and all of them. */
const maxHits = 500
const maxNotes = 20_000
/** Lines of one function that are kept. */
const maxSourceLines = 150
/** A request that takes longer is traced no further, in milliseconds. */
const maxMs = 10_000
/** Requests whose functions are known until their lines are noted, and for how long, in milliseconds. */
const maxKnown = 50
const knownMs = 60_000

/** A function as V8 names it. */
interface FoundFunction {
  readonly url: string
  readonly start: number
  readonly end: number
}

/** `isEarly`: before the request ended. */
type EndTrace = (isEarly: boolean) => RanCode

export interface RunningTrace {
  /** Ends it, the first time: nothing is left behind in the process. Throws what the inspector throws. */
  stop(): RanCode
}

/** One for each application in debug. Traces one request at a time. */
export class CodeTracer {
  readonly #projectRoot: string
  readonly #files: SourceFiles
  readonly #known = new Map<string, { readonly functions: readonly FoundFunction[]; readonly untilMs: number }>()
  #isRunning = false

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string) {
    this.#projectRoot = normalizeRoot(projectRoot)
    this.#files = new StackFrames(projectRoot).files
  }

  /** `request` names what is sent twice: the first one finds its functions. `problem` says why nothing is traced. */
  start(request: string, recording: Recording): RunningTrace | { readonly problem: string } {
    if (this.#isRunning) return { problem: 'The code of another request is traced at this moment.' }
    if (countsCoverage()) return { problem: 'This process counts coverage, which finding the functions would end.' }
    this.#isRunning = true
    const known = this.#known.get(request)
    this.#known.delete(request)
    const inspector = new OwnInspector()
    try {
      const end =
        known !== undefined && known.untilMs > performance.now()
          ? this.#traceLines(inspector, known.functions, recording)
          : this.#findFunctions(inspector, request)
      let ended: { readonly code: RanCode } | { readonly failure: unknown } | undefined
      const finish = (isEarly: boolean): NonNullable<typeof ended> => {
        if (ended !== undefined) return ended
        clearTimeout(late)
        recording.seenCalls = undefined
        try {
          ended = { code: end(isEarly) }
        } catch (failure) {
          ended = { failure }
        }
        this.#end(inspector)
        return ended
      }
      const late = setTimeout(() => finish(true), maxMs).unref()
      return {
        stop: () => {
          const result = finish(false)
          if ('failure' in result) throw result.failure
          return result.code
        },
      }
    } catch (error) {
      this.#end(inspector)
      throw error
    }
  }

  #end(inspector: OwnInspector): void {
    inspector.close()
    this.#isRunning = false
  }

  #findFunctions(inspector: OwnInspector, request: string): EndTrace {
    inspector.post('Profiler.enable')
    inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    inspector.post('Profiler.takePreciseCoverage')
    return () => {
      const { result } = inspector.post('Profiler.takePreciseCoverage') as {
        readonly result: readonly ScriptCoverage[]
      }
      inspector.post('Profiler.stopPreciseCoverage')
      inspector.post('Debugger.enable')
      const found: FoundFunction[] = []
      const functions: RanFunction[] = []
      for (const { scriptId, url, functions: covered } of result) {
        const called = covered.flatMap(({ ranges: [range] }) => (range !== undefined && range.count > 0 ? range : []))
        const script = called.length === 0 ? undefined : this.#read(inspector, { scriptId, url })
        for (const { startOffset: start, endOffset: end } of called) {
          const code = script?.scopes.functionFrom(start, end)
          if (script === undefined || code === undefined || found.length >= maxFunctions) continue
          found.push({ url, start, end })
          const { file, line } = script.placeOf(code.start)
          functions.push({ name: code.name, file, line, source: [], places: [] })
        }
      }
      this.#remember(request, found)
      return { state: 'functions', functions, calls: [], dropped: 0 }
    }
  }

  #remember(request: string, functions: readonly FoundFunction[]): void {
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size >= maxKnown) this.#known.delete(oldest)
    this.#known.set(request, { functions, untilMs: performance.now() + knownMs })
  }

  #traceLines(inspector: OwnInspector, wanted: readonly FoundFunction[], recording: Recording): EndTrace {
    const scripts = new Map<string, ParsedScript>()
    inspector.onScript((script) => scripts.set(script.url, script))
    inspector.post('Debugger.enable')
    // A `debugger` statement of the application must not stop it.
    inspector.post('Debugger.setSkipAllPauses', { skip: true })
    const notes = new CodeNotes(recording.redactor, () => recording.stopwatch.elapsedMs())
    const places: CodePlace[] = []
    const ids: string[] = []
    const hits: number[] = []
    let left = maxNotes
    const name = `__fanlight_${recording.token}`
    const noteAt = (index: number, read: () => readonly (() => unknown)[]): false => {
      const place = places[index]
      if (place === undefined || currentExchange()?.recording !== recording) return false
      const count = (hits[index] ?? 0) + 1
      hits[index] = count
      left -= 1
      if (left >= 0) recording.aside(() => notes.note(place, read, getCallSites(200, { sourceMap: false })))
      if (count >= maxHits || left < 0) {
        inspector.post('Debugger.removeBreakpoint', { breakpointId: ids[index] })
        notes.leave(place.of)
      }
      return false
    }
    Object.defineProperty(globalThis, name, { value: noteAt, configurable: true })
    recording.seenCalls = () => notes.seen()
    const functions: RanFunction[] = []
    const read = new Map<string, Script | undefined>()
    for (const { url, start, end } of wanted) {
      const parsed = scripts.get(url)
      if (parsed === undefined) continue
      if (!read.has(url)) read.set(url, this.#read(inspector, parsed))
      const script = read.get(url)
      const code = script?.scopes.functionFrom(start, end)
      if (script === undefined || code === undefined) continue
      const { scopes, placeOf } = script
      const head = placeOf(code.start)
      const { file, line } = head
      const endLine = placeOf(code.end - 1).line
      const traced = { index: functions.length, scriptId: parsed.scriptId, code, scopes, head, endLine }
      const own = placesOf(inspector, traced, { start, placeOf })
      for (const { location, place } of own) {
        const values = place.names.map((variable) => `()=>${variable}`).join(',')
        const condition = `globalThis.${name}(${places.length},()=>[${values}])`
        const { breakpointId } = inspector.post('Debugger.setBreakpoint', { location, condition }) as SetBreakpoint
        places.push(place)
        ids.push(breakpointId)
      }
      const last = Math.min(endLine, line + maxSourceLines)
      const lines = own.map(({ place }) => place.line)
      functions.push({ name: code.name, file, line, source: script.linesOf(file).slice(line - 1, last), places: lines })
    }
    return (isEarly) => {
      Reflect.deleteProperty(globalThis, name)
      return { state: 'lines', functions, ...notes.calls(isEarly) }
    }
  }

  /** `undefined` for what is not the application's own, and for what cannot be parsed. */
  #read(inspector: OwnInspector, { scriptId, url }: ParsedScript): Script | undefined {
    const { file, origin, path } = frameFile(url, this.#projectRoot)
    if (origin !== 'own' || path === null || libraryFile(url, normalizeRoot(libraryRoot())) !== null) return undefined
    const { scriptSource } = inspector.post('Debugger.getScriptSource', { scriptId }) as {
      readonly scriptSource: string
    }
    const scopes = CodeScopes.of(file, scriptSource)
    if (scopes === undefined) return undefined
    // What runs may have been compiled in memory, whatever its file is called.
    const compiled = `${file}.js`
    const maps = new SourceMaps({
      readText: (asked) => (asked === compiled ? scriptSource : this.#files.readText(asked)),
    })
    return {
      scopes,
      placeOf: (offset) => {
        const line = scopes.lineAt(offset)
        const found = maps.find(compiled, line, offset - scopes.offsetOf(line, 1) + 1)
        if (found === null) return { file, line, column: offset - scopes.offsetOf(line, 1) + 1 }
        const isRelative = !/^(?:[a-z][a-z+.-]*:|\/)/i.test(found.location)
        return {
          file: isRelative ? found.location : frameFile(found.location, this.#projectRoot).file,
          line: found.line,
          column: null,
        }
      },
      linesOf: (asked) => (asked === file ? scriptSource : (this.#files.readText(asked) ?? '')).split('\n'),
    }
  }
}

interface Script {
  readonly scopes: CodeScopes
  /** In the source that it was compiled from. */
  readonly placeOf: (offset: number) => SeenPlace
  readonly linesOf: (file: string) => readonly string[]
}

interface SetBreakpoint {
  readonly breakpointId: string
}

interface LocatedPlace {
  readonly location: ScriptLocation
  readonly place: CodePlace
}

/** The places of a function, without those of functions inside it. `start` is where V8 begins it. */
function placesOf(
  inspector: OwnInspector,
  traced: TracedFunction,
  { start, placeOf }: { readonly start: number; readonly placeOf: Script['placeOf'] },
): readonly LocatedPlace[] {
  const { scriptId, code, scopes } = traced
  const { locations } = inspector.post('Debugger.getPossibleBreakpoints', {
    start: locationOf(scriptId, scopes, start),
    end: locationOf(scriptId, scopes, code.end + 1),
    restrictToFunction: true,
  }) as { readonly locations: readonly ScriptLocation[] }
  const all = locations.map((location) => {
    const offset = scopes.offsetOf(location.lineNumber + 1, location.columnNumber + 1)
    return { location, offset, statement: statementIn(code.node, offset) }
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
    return offset >= body && type !== 'return' && !(type === 'call' && scopes.isOfLoop(statement))
  })
  const firstKind = first !== undefined && scopes.repeatsAt(code, first.offset) ? 'start' : 'entry'
  return own.map(({ location, offset, statement }, index) => ({
    location,
    place: {
      ...placeOf(offset),
      of: traced,
      index,
      offset,
      kind:
        location.type === 'return'
          ? 'return'
          : offset === first?.offset
            ? firstKind
            : statement.type === 'ThrowStatement'
              ? 'throw'
              : 'other',
      mayWait: code.isResumable && scopes.mayWait(code, offset),
      names: scopes.namesAt(code, Math.min(offset, code.end - 1)),
    },
  }))
}

function locationOf(scriptId: string, scopes: CodeScopes, offset: number): ScriptLocation {
  const line = scopes.lineAt(offset)
  return { scriptId, lineNumber: line - 1, columnNumber: offset - scopes.offsetOf(line, 1) }
}
