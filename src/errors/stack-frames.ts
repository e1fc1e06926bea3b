// Turns a stack into frames: whose code, which file, which lines around it.

import { libraryRoot } from '../base/own-package.ts'
import type { FrameBounds, FrameReader } from './flatten-error.ts'
import type { Frame, FrameRepeats, SourceExcerpt } from './flattened-error.ts'
import { frameFile, libraryFile, libraryName, normalizeRoot } from './frame-file.ts'
import { excerptRadius, shortRadius, sourceExcerpt, type MaskText } from './source-excerpt.ts'
import { SourceFiles, type SourceFilesOptions } from './source-files.ts'
import { posix } from 'node:path'
import { FlattenMap, originalPositionFor, type TraceMap } from '@jridgewell/trace-mapping'

export interface StackLine extends Pick<Frame, 'functionName' | 'column' | 'isAsync'> {
  /** File name or URL as written; `<anonymous>` without one. */
  readonly location: string
  /** From 1; 0 without one. */
  readonly line: number
}

export interface StackBounds {
  /** Default 50. */
  readonly maxFrames?: number
  /** The error's message: the stack repeats it, and it may contain lines that look like frames. */
  readonly message?: string
}

/** The lines of the calls, innermost first. The place of a syntax error counts as the innermost call. */
export function stackCalls(stack: string, bounds: StackBounds = {}): string[] {
  const maxFrames = bounds.maxFrames ?? 50
  const lines = placeOfSyntax(stack)
  let start = endOfHeader(stack, bounds.message ?? '')
  const limit = Math.min(stack.length, start + maxStackChars)
  while (start < limit && lines.length < maxFrames) {
    const newline = stack.indexOf('\n', start)
    const end = newline < 0 ? stack.length : newline
    const line = end - start > maxLineChars ? '' : stack.slice(start, end)
    if (isCall(line)) lines.push(line)
    start = end + 1
  }
  return lines
}

/** One line, `    at show (file:///app/product.ts:3:9)`; `null` if it is not a call. */
export function parseStackLine(text: string): StackLine | null {
  if (!isCall(text)) return null
  const trimmed = text.trim()
  const isAsync = trimmed.startsWith('at async ')
  const call = trimmed.slice(isAsync ? 9 : 3)
  const open = call.endsWith(')') ? startOfPlace(call) : -1
  if (open < 0) return lineAt(null, call, isAsync)
  return lineAt(functionName(call.slice(0, open)), call.slice(open + 2, -1), isAsync)
}

function isCall(text: string): boolean {
  return text.startsWith('    at ') || text.trimStart().startsWith('at ')
}

/** Node writes the place of a syntax error before its name: `/app/cart.ts:2`, the source, and mostly carets under the column. */
function placeOfSyntax(stack: string): string[] {
  const [, place] = /^((?:file:\/\/)?\/[^\n]{1,4000}:\d{1,9})\n/.exec(stack) ?? []
  if (place === undefined) return []
  const [, indent = ''] = /\n( {0,1000})\^+\n/.exec(stack.slice(0, maxLineChars * 2)) ?? []
  return [`    at ${place}:${indent.length + 1}`]
}

const maxStackChars = 256 * 1024
const maxLineChars = 4096

/** Where the calls begin: after the message, if the stack still repeats it. */
function endOfHeader(stack: string, message: string): number {
  if (message === '') return 0
  // The beginning of the message is enough to find it.
  const beginning = message.slice(0, 1000)
  const found = stack.slice(0, 300 + beginning.length).indexOf(beginning)
  return found < 0 ? 0 : found + message.length
}

/** Index of the ` (` before the place. Names contain one only in `[as …]`. */
function startOfPlace(call: string): number {
  const alias = call.indexOf(' [as ')
  const open = call.indexOf(' (')
  if (alias < 0 || open < alias) return open
  const behind = call.indexOf('] (', alias)
  return behind < 0 ? open : behind + 1
}

function functionName(written: string): string | null {
  const name = written.trim()
  return name === '' || name === '<anonymous>' || name === 'Object.<anonymous>' ? null : name.slice(0, 200)
}

/** Parses a place, `file:///app/a.ts:12:5`. */
function lineAt(name: string | null, written: string, isAsync: boolean): StackLine {
  const place = written.startsWith('eval at ') ? placeOfEval(written) : written
  const [, location = '', line = 0, column = 0] = /^(.*?)(?::(\d{1,9}))?(?::(\d{1,9}))?$/s.exec(place) ?? []
  return {
    functionName: name,
    location: location || '<anonymous>',
    line: Number(line),
    column: Number(column),
    isAsync,
  }
}

/** `eval at run (file:///app/a.js:1:2), <anonymous>:1:5` happened in the file of the innermost parentheses. */
function placeOfEval(written: string): string {
  const open = written.lastIndexOf('(')
  const close = written.indexOf(')', open)
  return open < 0 || close < 0 ? '<anonymous>' : written.slice(open + 1, close)
}

/**
 * Makes all errors of the process capture at least so many frames. V8's default of 10 often ends inside a dependency. Costs a few
 * microseconds per error.
 */
export function ensureDeepTraces(frames: number): void {
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  // Some programs freeze it, or turn traces off on purpose.
  if (limit?.writable !== true || typeof limit.value !== 'number' || limit.value <= 0) return
  Error.stackTraceLimit = Math.max(limit.value, frames)
}

interface StackFramesOptions extends SourceFilesOptions {
  /** Masks strings and comments of the source. Default: nothing is masked. */
  readonly maskText?: MaskText
  /** Absolute directory of this library's code, `src` or `dist`. Default: where it runs from. */
  readonly libraryRoot?: string
}

/** Reads stacks of one project. Caches files, excerpts and maps. */
export class StackFrames implements FrameReader {
  /** Of the project. */
  readonly files: SourceFiles
  readonly #libraryRoot: string
  readonly #libraryFiles: SourceFiles
  readonly #maps: SourceMaps
  readonly #maskText: MaskText | undefined
  readonly #located = new Map<string, LocatedFrame>()

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string, options: StackFramesOptions = {}) {
    this.files = new SourceFiles(projectRoot, options)
    this.#libraryRoot = normalizeRoot(options.libraryRoot ?? libraryRoot())
    this.#libraryFiles = new SourceFiles(posix.dirname(this.#libraryRoot), options)
    this.#maps = new SourceMaps(this.files, options.maxFiles ?? 100)
    this.#maskText = options.maskText
  }

  /**
   * Frames of a stack, innermost first. Own code has source. Without own code, the library's first frame has, as for a path that
   * matches no route. `message` is the error's message, which the stack repeats. Never throws.
   */
  read(stack: string, message: string, bounds: FrameBounds): readonly Frame[] {
    if (stack === '' || bounds.maxFrames <= 0) return []
    // A recursion takes the place of few frames, whatever its depth.
    const maxCalls = bounds.maxFrames * 4
    const calls = stackCalls(stack, { maxFrames: maxCalls, message }).map((text) => this.#locate(text))
    const frames: Frame[] = []
    let excerptsLeft = bounds.maxExcerpts
    for (const located of foldRecursion(calls).slice(0, bounds.maxFrames)) {
      const { line } = located.frame
      // The first excerpt is the longest.
      const radius = excerptsLeft === bounds.maxExcerpts ? excerptRadius : shortRadius
      const excerpt =
        excerptsLeft > 0 && located.ownPath !== null ? this.#excerpt(this.files, located.ownPath, line, radius) : null
      if (excerpt !== null) excerptsLeft -= 1
      frames.push({ ...located.frame, excerpt })
    }
    const [first] = frames
    if (first !== undefined && excerptsLeft > 0 && !frames.some(({ origin }) => origin === 'own')) {
      const libraryPath = calls[0]?.libraryPath ?? null
      if (libraryPath !== null) {
        frames[0] = { ...first, excerpt: this.#excerpt(this.#libraryFiles, libraryPath, first.line, excerptRadius) }
      }
    }
    return frames
  }

  #excerpt(files: SourceFiles, path: string, line: number, radius: number): SourceExcerpt | null {
    const file = files.read(path)
    return file === null ? null : sourceExcerpt(file, line, { radius, maskText: this.#maskText })
  }

  /** Where a line of a stack is in the user's source. Cached, because errors at one place repeat the same lines. */
  #locate(line: string): LocatedFrame {
    const known = this.#located.get(line)
    if (known !== undefined) return known
    const located = this.#locateLine(parseStackLine(line) ?? nowhere)
    if (this.#located.size >= maxLocated) this.#located.clear()
    if (line.length < 1000) this.#located.set(line, located)
    return located
  }

  #locateLine({ functionName, isAsync, location, line, column }: StackLine): LocatedFrame {
    const libraryPath = libraryFile(location, this.#libraryRoot)
    if (libraryPath !== null) {
      const file = `${libraryName}/${libraryPath}`
      const frame = { functionName, file, line, column, origin: 'dependency', isAsync } as const
      return { frame, ownPath: null, libraryPath }
    }
    const compiled = frameFile(location, this.files.root)
    const place = compiled.origin === 'own' ? this.#maps.find(compiled.file, line, column) : null
    const named = place === null ? compiled : frameFile(this.#absolute(place.location), this.files.root)
    const { file } = named
    // Source outside the project is still the user's own; only its position is shown.
    const isMappedOut = place !== null && named.path === null && !file.startsWith('node_modules/')
    const origin = isMappedOut ? 'own' : named.origin
    const { line: shownLine, column: shownColumn } = place ?? { line, column }
    const frame = { functionName, file, line: shownLine, column: shownColumn, origin, isAsync }
    return { frame, ownPath: named.origin === 'own' ? file : null, libraryPath }
  }

  #absolute(location: string): string {
    return location.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(location)
      ? location
      : `${this.files.root}/${location}`
  }
}

/** A frame with its place in the user's source. */
interface LocatedFrame {
  readonly frame: Omit<Frame, 'excerpt'>
  /** Path in the project, if the file may be shown. */
  readonly ownPath: string | null
  /** Path in the library's package. */
  readonly libraryPath: string | null
}

const maxLocated = 500

/** Functions of one recursion that are recognized, and how often they follow each other before they are folded. */
const maxRecursionFrames = 6
const minRepeats = 3

/** Each recursion once, with a count on its last frame. */
function foldRecursion(calls: readonly LocatedFrame[]): readonly LocatedFrame[] {
  const folded: LocatedFrame[] = []
  for (let index = 0; index < calls.length;) {
    const repeats = recursionAt(calls, index)
    const end = index + (repeats?.frames ?? 1)
    folded.push(...calls.slice(index, end))
    const last = folded.at(-1)
    if (repeats !== null && last !== undefined) {
      folded[folded.length - 1] = { ...last, frame: { ...last.frame, repeats } }
    }
    index = end + (repeats === null ? 0 : repeats.frames * repeats.times)
  }
  return folded
}

function recursionAt(calls: readonly LocatedFrame[], start: number): FrameRepeats | null {
  for (let frames = 1; frames <= maxRecursionFrames; frames += 1) {
    let end = start + frames
    while (end < calls.length && isSameLine(calls[end], calls[end - frames])) end += 1
    const times = Math.floor((end - start) / frames) - 1
    if (times + 1 >= minRepeats) return { frames, times }
  }
  return null
}

/** The column differs between the call that overflowed and the calls around it. */
function isSameLine(one: LocatedFrame | undefined, other: LocatedFrame | undefined): boolean {
  if (one === undefined || other === undefined) return false
  const { file, line, functionName } = one.frame
  return file === other.frame.file && line === other.frame.line && functionName === other.frame.functionName
}

const nowhere: StackLine = { functionName: null, location: '<anonymous>', line: 0, column: 0, isAsync: false }

interface SourcePlace {
  /** As the map names it, resolved: a path relative to the project root, or an absolute path or URL. */
  readonly location: string
  readonly line: number
  readonly column: number
}

export class SourceMaps {
  readonly #files: Pick<SourceFiles, 'readText'>
  readonly #maxMaps: number
  readonly #maps = new Map<string, TraceMap | null>()

  /** `maxMaps`: compiled files to remember, including those without a map. */
  constructor(files: Pick<SourceFiles, 'readText'>, maxMaps = 100) {
    this.#files = files
    this.#maxMaps = maxMaps
  }

  /** The source of a place in a compiled file (relative to the root; line and column from 1); `null` without a map. Never throws. */
  find(relativePath: string, line: number, column: number): SourcePlace | null {
    if (!compiledFile.test(relativePath) || line < 1) return null
    const map = this.#mapOf(relativePath)
    if (map === null) return null
    try {
      const found = originalPositionFor(map, { line, column: Math.max(0, column - 1) })
      if (found.source === null) return null
      return { location: readableSource(found.source), line: found.line, column: found.column + 1 }
    } catch {
      return null
    }
  }

  #mapOf(relativePath: string): TraceMap | null {
    const known = this.#maps.get(relativePath)
    if (known !== undefined) return known
    const map = this.#load(relativePath)
    if (this.#maps.size >= this.#maxMaps) this.#maps.clear()
    this.#maps.set(relativePath, map)
    return map
  }

  #load(relativePath: string): TraceMap | null {
    try {
      const code = this.#files.readText(relativePath)
      const url = code === null ? null : mappingUrl(code)
      if (url === null) return null
      if (url.startsWith('data:')) return toTraceMap(inlineMap(url), relativePath)
      const mapPath = resolveMapPath(url, relativePath)
      const text = mapPath === null ? null : this.#files.readText(mapPath)
      return text === null || mapPath === null ? null : toTraceMap(text, mapPath)
    } catch {
      return null
    }
  }
}

const compiledFile = /\.[cm]?jsx?$/

/** The URL after the last `//# sourceMappingURL=` of a file (ECMA-426, section 11.1), or `null`. */
export function mappingUrl(code: string): string | null {
  const at = Math.max(code.lastIndexOf(`//# ${marker}`), code.lastIndexOf(`//@ ${marker}`))
  if (at < 0) return null
  const start = at + 4 + marker.length
  const newline = code.indexOf('\n', start)
  const url = code.slice(start, newline < 0 ? code.length : newline).trim()
  return url === '' || /[\s"'`]/.test(url) ? null : url
}

// Concatenated, so that tools do not take this line for a source map comment.
const marker = ['source', 'MappingURL='].join('')

function inlineMap(url: string): string {
  const comma = url.indexOf(',')
  const content = url.slice(comma + 1)
  return url.slice(0, comma).endsWith(';base64')
    ? Buffer.from(content, 'base64').toString('utf8')
    : decodeURIComponent(content)
}

function toTraceMap(text: string, mapPath: string): TraceMap {
  // Some servers put `)]}'` before JSON; the specification tells readers to skip it.
  const json = text.startsWith(")]}'") ? text.slice(text.indexOf('\n') + 1) : text
  return new FlattenMap(json, mapPath)
}

/** Path of the map relative to the root; `null` outside the project. */
function resolveMapPath(url: string, compiledPath: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url) || url.startsWith('/')) return null
  const path = posix.normalize(posix.join(posix.dirname(compiledPath), decodeURIComponent(url.replace(/[?#].*$/s, ''))))
  return path.startsWith('../') ? null : path
}

/** `webpack://shop/./src/cart.ts?a1b2` is `src/cart.ts`. */
function readableSource(source: string): string {
  const bundled = /^(?:webpack|turbopack|rspack|rollup|vite|parcel):\/\/[^/]*\/(.*)$/s.exec(source)
  return bundled === null
    ? source
    : posix.normalize((bundled[1] ?? '').replace(/\?[^?]*$/, '').replace(/^(?:\.\/|\/)+/, ''))
}
