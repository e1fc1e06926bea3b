// The application's own scripts as they run in this process, and the inspector that tells of them.

import inspector, { type Debugger, type Profiler, type Runtime } from 'node:inspector'
import { frameFile, libraryFile, normalizeRoot } from '../errors/frame-file.ts'
import { SourceMaps, StackFrames } from '../errors/stack-frames.ts'
import type { SourceFiles } from '../errors/source-files.ts'
import { libraryRoot } from '../base/own-package.ts'
import type { SeenPlace } from '../http/recording/recording.ts'
import { CodeScopes } from './code-scopes.ts'

export type ParsedScript = Pick<Debugger.ScriptParsedEventDataType, 'scriptId' | 'url'>

export interface OwnScript {
  readonly scopes: CodeScopes
  /** In the source that it was compiled from. */
  readonly placeOf: (offset: number) => SeenPlace
  readonly linesOf: (file: string) => readonly string[]
}

interface Answers {
  'Debugger.getPossibleBreakpoints': Debugger.GetPossibleBreakpointsReturnType
  'Debugger.getScriptSource': Debugger.GetScriptSourceReturnType
  'Debugger.setBreakpoint': Debugger.SetBreakpointReturnType
  'Profiler.takePreciseCoverage': Profiler.TakePreciseCoverageReturnType
  'Runtime.evaluate': Runtime.EvaluateReturnType
}

type Answered<Method> = Method extends keyof Answers ? Answers[Method] : object

export class OwnInspector {
  readonly #session = new inspector.Session()
  readonly #projectRoot: string
  readonly #files: SourceFiles

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string) {
    this.#projectRoot = normalizeRoot(projectRoot)
    this.#files = new StackFrames(projectRoot).files
    this.#session.connect()
  }

  /** Throws what the inspector refuses. */
  post<Method extends string>(method: Method, params: object = {}): Answered<Method> {
    const told: { failure: Error | null; result: object } = { failure: null, result: {} }
    this.#session.post(method, params, (failure, result: object = {}) => Object.assign(told, { failure, result }))
    if (told.failure !== null) throw told.failure
    // The inspector of this very Node.
    return told.result as Answered<Method>
  }

  /** `undefined` for what is not the application's own, and for what cannot be parsed. */
  read({ scriptId, url }: ParsedScript): OwnScript | undefined {
    const { file, origin, path } = frameFile(url, this.#projectRoot)
    if (origin !== 'own' || path === null || libraryFile(url, normalizeRoot(libraryRoot())) !== null) return undefined
    const { scriptSource } = this.post('Debugger.getScriptSource', {
      scriptId,
    })
    const scopes = CodeScopes.of(file, scriptSource)
    if (scopes === undefined) return undefined
    // What runs may have been compiled in memory, whatever its file is called.
    const compiled = `${file}.js`
    const maps = new SourceMaps({
      readText: (asked) => (asked === compiled ? scriptSource : this.#files.readText(asked)),
    })
    const columnOf = (offset: number): number => offset - scopes.offsetOf(scopes.lineAt(offset), 1) + 1
    const mapped = (offset: number) => maps.find(compiled, scopes.lineAt(offset), columnOf(offset))
    return {
      scopes,
      placeOf: (offset) => {
        const found = mapped(offset)
        if (found === null) return { file, line: scopes.lineAt(offset), column: columnOf(offset) }
        const isRelative = !/^(?:[a-z][a-z+.-]*:|\/)/i.test(found.location)
        return {
          file: isRelative ? found.location : frameFile(found.location, this.#projectRoot).file,
          line: found.line,
          column: null,
        }
      },
      linesOf: (asked) => {
        const written = this.#files.readText(asked) ?? ''
        const isMapped = asked !== file || scopes.functions.some(({ start }) => mapped(start) !== null)
        return (isMapped || isStripped(written, scriptSource) ? written : scriptSource).split('\n')
      },
    }
  }

  onScript(heard: (script: ParsedScript) => void): void {
    this.#session.on('Debugger.scriptParsed', ({ params }) => heard(params))
  }

  /**
   * V8 leaves its first machine code when a function is prepared for breakpoints, which for each one goes through the whole heap. Where one is
   * prepared whose code nobody can change, it does so for all of them at once.
   */
  prepareAll(): void {
    const { result } = this.post('Runtime.evaluate', {
      expression: 'Array.prototype.copyWithin',
    })
    const { objectId = '' } = result
    const breakpoint = this.post('Debugger.setBreakpointOnFunctionCall', { objectId, condition: 'false' })
    this.post('Debugger.removeBreakpoint', breakpoint)
  }

  /** The places in a part of a script that a breakpoint may be set at. */
  breakLocations(
    { scriptId }: Pick<ParsedScript, 'scriptId'>,
    scopes: CodeScopes,
    [start, end]: readonly [start: number, end: number],
  ): readonly Debugger.BreakLocation[] {
    const locationOf = (offset: number): Debugger.Location => {
      const line = scopes.lineAt(offset)
      return { scriptId, lineNumber: line - 1, columnNumber: offset - scopes.offsetOf(line, 1) }
    }
    const { locations } = this.post('Debugger.getPossibleBreakpoints', {
      start: locationOf(start),
      end: locationOf(end),
      restrictToFunction: true,
    })
    return locations
  }

  close(): void {
    this.#session.disconnect()
  }
}

/** Whether what runs is what was written, with blanks where types were. */
function isStripped(written: string, ran: string): boolean {
  const [code, rest] = [ran.slice(0, written.length), ran.slice(written.length)]
  if (!/^\s*(?:\/\/# sourceURL=.*)?$/.test(rest)) return false
  return !/[^ ;]/.test(code.replaceAll(/./gs, (char, at: number) => (char === written[at] ? '' : char)))
}
