// Where in the application a query or an outgoing request was made.

import { libraryRoot as ownLibraryRoot } from '../base/own-package.ts'
import { frameFile, libraryFile, normalizeRoot, type FrameFile } from '../errors/frame-file.ts'
import { takesAllFrames } from '../http/kernel/plain-stacks.ts'
import type { Recording } from '../http/recording/recording.ts'
import { SourceFiles } from '../errors/source-files.ts'
import { StackFrames, parseStackLine, stackCalls, type StackLine } from '../errors/stack-frames.ts'

/** Captures the stack of the caller, at most `maxFrames` frames. */
export function markCallSite(maxFrames: number): Error {
  const usual = Error.stackTraceLimit
  // A frozen Error keeps its own limit.
  Reflect.set(Error, 'stackTraceLimit', maxFrames)
  const mark = new Error()
  Reflect.set(Error, 'stackTraceLimit', usual)
  return mark
}

/** Frames that mostly lead from a query to the caller of the handler. */
const fewFrames = 14

/** As `markCallSite`, for a request: of a stack that leads to the caller of its handler, no more is captured. Each frame takes time. */
export function markSiteIn(recording: Recording, maxFrames: number): Error {
  if (recording.handlerCaller === undefined || maxFrames <= fewFrames) return markCallSite(maxFrames)
  const mark = markCallSite(fewFrames)
  const frames = framesOf(mark)
  for (let index = frames.length - 1; index >= 0; index -= 1) {
    if (frames[index]?.getFileName() === recording.handlerCaller) return mark
  }
  if (frames.length < fewFrames) return mark
  // What it sends next is mostly as far away.
  recording.handlerCaller = undefined
  return markCallSite(maxFrames)
}

export interface SentFrom {
  /** `src/orders.ts:12`; `null` if unknown. */
  readonly callSite: string | null
  /** The line in a loop that led to it; `null` without one. */
  readonly loop: string | null
}

/** Files and places to remember. */
const maxPlaces = 1000
/** Lines above a call that may begin the loop around it. */
const maxLinesAbove = 200

export class CallSites {
  readonly #projectRoot: string
  readonly #libraryRoot: string
  readonly #frames: StackFrames
  readonly #files: SourceFiles
  readonly #loops = new Map<string, boolean>()
  readonly #names = new Map<string, string>()
  readonly #owners = new Map<string, FrameFile['origin']>()

  /** `projectRoot` is absolute. Code in `libraryRoot` is never the application's own. */
  constructor(projectRoot: string, libraryRoot: string = ownLibraryRoot()) {
    this.#projectRoot = normalizeRoot(projectRoot)
    this.#libraryRoot = normalizeRoot(libraryRoot)
    this.#frames = new StackFrames(projectRoot)
    this.#files = new SourceFiles(projectRoot)
  }

  /**
   * The innermost frame of the application's own code, `src/prices.ts:12`; without one, that of a dependency; `null` without
   * either. Files of `passing` count as Node, and who only waits for them did not call. Never throws.
   */
  find(mark: Error, passing?: RegExp): string | null {
    const { own, dependency } = this.#read(mark, passing)
    return own[0] ?? dependency
  }

  /** All frames of own code, innermost first. Never throws. */
  path(mark: Error): readonly string[] {
    return this.#read(mark).own
  }

  #read(mark: Error, passing?: RegExp): { readonly own: readonly string[]; readonly dependency: string | null } {
    const own: string[] = []
    let dependency: string | null = null
    for (const frame of framesOf(mark)) {
      const location = frame.getFileName() ?? ''
      if (passing !== undefined && frame.isAsync()) break
      const owner = passing?.test(location) === true ? 'node' : this.#ownerOf(location)
      if (owner === 'own') own.push(this.#name(frame))
      if (owner === 'dependency') dependency ??= this.#name(frame)
    }
    return { own, dependency }
  }

  /**
   * The place of each of these paths that says most: behind the functions that are called from several places of these paths, as a
   * wrapper around a driver is. `loop` is the first place that is in a loop.
   */
  tell(paths: readonly (readonly string[])[]): readonly SentFrom[] {
    const callers = new Map<string, Set<string>>()
    for (const path of paths) {
      for (const [index, place] of path.entries()) {
        const caller = path[index + 1]
        // A function that is written on the line that calls it.
        if (caller === undefined || caller === place) continue
        const known = callers.get(place)
        if (known === undefined) callers.set(place, new Set([caller]))
        else known.add(caller)
      }
    }
    return paths.map((path) => ({
      callSite: path.find((place) => (callers.get(place)?.size ?? 0) < 2) ?? path[0] ?? null,
      loop: path.find((place) => this.#isInLoop(place)) ?? null,
    }))
  }

  /** Whether `src/orders.ts:12` is in a loop. False if the source cannot be read. */
  #isInLoop(place: string): boolean {
    return remembered(this.#loops, place, () => {
      const [, file = '', line = ''] = /^(.*):(\d+)$/.exec(place) ?? []
      return isInLoop(this.#files.read(file)?.lines ?? [], Number(line))
    })
  }

  #ownerOf(location: string): FrameFile['origin'] {
    return remembered(this.#owners, location, () => {
      const isOfNode = location === '' || location.startsWith('node:')
      const isOurs = isOfNode || libraryFile(location, this.#libraryRoot) !== null
      return isOurs ? 'node' : frameFile(location, this.#projectRoot).origin
    })
  }

  #name(frame: Frame): string {
    const place = `${frame.getFileName() ?? ''}:${frame.getLineNumber() ?? 0}:${frame.getColumnNumber() ?? 0}`
    return remembered(this.#names, place, () => {
      const [read] = this.#frames.read(`    at ${place}`, '', { maxFrames: 1, maxExcerpts: 0 })
      return read === undefined ? place : `${read.file}:${read.line}`
    })
  }
}

/** What was found for a key before, or is found now. Of more than 1000 keys all are forgotten. */
export function remembered<Found>(known: Map<string, Found>, key: string, find: () => Found): Found {
  const before = known.get(key)
  if (before !== undefined) return before
  const found = find()
  if (known.size >= maxPlaces) known.clear()
  known.set(key, found)
  return found
}

/** What is asked of a frame, the line only of those that count: V8 looks for it each time. */
type Frame = Pick<NodeJS.CallSite, 'getFileName' | 'getLineNumber' | 'getColumnNumber' | 'isAsync'>

/** The frames of a stack as V8 holds them. `prepareStackTrace` is restored before other code can run. */
function framesOf(mark: Error): readonly Frame[] {
  const usual = Error.prepareStackTrace
  try {
    Error.prepareStackTrace = allFrames
    const stack = mark.stack as readonly NodeJS.CallSite[] | string | undefined
    // A stack that was read before is text.
    return typeof stack === 'object'
      ? stack
      : stackCalls(String(stack)).flatMap((call) => toFrame(parseStackLine(call)) ?? [])
  } catch {
    return []
  } finally {
    Reflect.set(Error, 'prepareStackTrace', usual)
  }
}

function toFrame(line: StackLine | null): Frame | undefined {
  if (line === null) return undefined
  return {
    getFileName: () => line.location,
    getLineNumber: () => line.line,
    getColumnNumber: () => line.column,
    isAsync: () => line.isAsync,
  }
}

const allFrames = Object.assign((_error: Error, frames: NodeJS.CallSite[]): unknown => frames, {
  [takesAllFrames]: true,
})

/** Whether a line, counted from 1, is inside a loop or the callback of one, such as `map()`. Judged by indentation: that needs no parser. */
export function isInLoop(lines: readonly string[], line: number): boolean {
  let text = lines[line - 1] ?? ''
  let indent = indentOf(text)
  let isCallback = false
  if (startsLoop.test(text)) return true
  for (let index = line - 2; index >= Math.max(0, line - maxLinesAbove) && indent > 0; index -= 1) {
    text = lines[index] ?? ''
    if (text.trim() === '' || indentOf(text) >= indent) continue
    indent = indentOf(text)
    if (startsLoop.test(text)) return true
    if (isCallback) return false
    isCallback = opensCallback.test(text)
    if (!isCallback && startsFunction.test(text) && !isControl.test(text)) return false
  }
  return false
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}

const startsLoop =
  /\b(?:for|while)\s*(?:await\s*)?\(|\bdo\s*\{|\.(?:map|flatMap|forEach|filter|find|some|every|reduce)\((?:async\b|function\b|\(|[\w$]+\s*=>|$)/
const startsFunction = /\bfunction\b|=>\s*[{(]?\s*$|\)\s*(?::[^{]*)?\{\s*$/
/** An arrow function on a separate line: the function that it is passed to is above. */
const opensCallback = /^\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>\s*[{(]?\s*$/
const isControl = /^\s*(?:\}\s*)?(?:if|else|switch|catch|try|finally|with)\b/
