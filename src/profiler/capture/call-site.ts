// Where in the application's own code a captured call was made. A stack is caught when the call is made, which is cheap, and
// looked into only when the profile is.

import { libraryRoot as ownLibraryRoot } from '../../framework/config/own-package.ts'
import { frameFile, libraryFile, normalizeRoot, type FrameFile } from '../../errors/frame-file.ts'
import { StackFrames } from '../../errors/stack-frames.ts'
import { AssumedSite } from './assumed-site.ts'
import type { UsualCaller } from './usual-caller.ts'

/** A stack that nobody has looked into yet, or a place that is assumed without one. */
export type CallSiteMark = Error | AssumedSite

/** Catches the calls that lead here, at most `maxFrames` of them. */
export function markCallSite(maxFrames: number): Error {
  const usual = Error.stackTraceLimit
  setLimit(maxFrames)
  // Without a message: to define it costs as much as catching a frame.
  const mark = new Error()
  setLimit(usual)
  return mark
}

/** Whose code a file is; this library's counts as Node's. */
type Owner = FrameFile['origin']

/** Places kept at most. */
const maxPlaces = 1000

/** Names call sites of one project; remembers those it has named. */
export class CallSites {
  readonly #projectRoot: string
  readonly #libraryRoot: string
  readonly #frames: StackFrames
  readonly #names = new Map<string, string>()
  readonly #owners = new Map<string, Owner>()

  /** `projectRoot` is absolute; `libraryRoot` is where this library's code lies, which is never the application's own. */
  constructor(projectRoot: string, libraryRoot: string = ownLibraryRoot()) {
    this.#projectRoot = normalizeRoot(projectRoot)
    this.#libraryRoot = normalizeRoot(libraryRoot)
    this.#frames = new StackFrames(projectRoot)
  }

  /**
   * The innermost call of the application's own code, `src/prices.ts:12`; where there is none, that of a dependency. `null`
   * where the stack names neither. One that is assumed says so. `caller` learns where it stood. Never throws.
   */
  find(mark: CallSiteMark, caller?: UsualCaller): string | null {
    if (mark instanceof AssumedSite) return mark.name
    let dependency: string | null = null
    const calls = callsOf(mark)
    for (let index = 0; index < calls.length; index += 1) {
      const call = calls[index]!
      const location = call.getFileName() ?? ''
      const owner = this.#ownerOf(location)
      if (owner === 'own') {
        const place = this.#name(location, call)
        caller?.foundAt(index + 1, place)
        return place
      }
      if (owner === 'dependency') dependency ??= this.#name(location, call)
    }
    caller?.foundAt(0, dependency)
    return dependency
  }

  #ownerOf(location: string): Owner {
    const known = this.#owners.get(location)
    if (known !== undefined) return known
    const isOurs = location === '' || location.startsWith('node:') || libraryFile(location, this.#libraryRoot) !== null
    const owner = isOurs ? 'node' : frameFile(location, this.#projectRoot).origin
    if (this.#owners.size >= maxPlaces) this.#owners.clear()
    this.#owners.set(location, owner)
    return owner
  }

  #name(location: string, call: NodeJS.CallSite): string {
    const place = `${location}:${call.getLineNumber() ?? 0}:${call.getColumnNumber() ?? 0}`
    const known = this.#names.get(place)
    if (known !== undefined) return known
    const [frame] = this.#frames.read(`    at ${place}`, '', { maxFrames: 1, maxExcerpts: 0 })
    const name = frame === undefined ? place : `${frame.file}:${frame.line}`
    if (this.#names.size >= maxPlaces) this.#names.clear()
    this.#names.set(place, name)
    return name
  }
}

/**
 * The calls of a stack as V8 knows them. Writing a stack out costs several times as much; `prepareStackTrace` is put back
 * before anybody else can run.
 */
function callsOf(mark: Error): readonly NodeJS.CallSite[] {
  const usual = Error.prepareStackTrace
  try {
    Error.prepareStackTrace = (_error, calls) => calls
    const calls: unknown = mark.stack
    return isCallList(calls) ? calls : []
  } catch {
    return []
  } finally {
    Reflect.set(Error, 'prepareStackTrace', usual)
  }
}

// A stack that was read before is text.
function isCallList(calls: unknown): calls is readonly NodeJS.CallSite[] {
  return Array.isArray(calls)
}

function setLimit(limit: number): void {
  try {
    Error.stackTraceLimit = limit
  } catch {
    // A frozen Error keeps its own limit.
  }
}
