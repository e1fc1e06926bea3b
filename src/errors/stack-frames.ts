// From the text of a stack to frames as they are shown: whose code, which file of the source, with which lines around
// it.

import { dirname } from 'node:path'
import type { Frame } from './flattened-error.ts'
import { type FrameFile, frameFile, libraryFile, libraryName, normalizeRoot } from './frame-file.ts'
import { KnownStacks } from './known-stacks.ts'
import {
  colourLines,
  excerptRadius,
  shortRadius,
  sourceExcerpt,
  type LineRange,
  type MaskText,
} from './source-excerpt.ts'
import { type SourceFile, SourceFiles, type SourceFilesOptions } from './source-files.ts'
import { SourceMaps } from './source-maps.ts'
import { endOfHeader, parseStackLine, stackCalls, type StackLine } from './stack-lines.ts'

/** How much of a stack is looked into. */
export interface FrameBounds {
  /** Frames at most. */
  readonly maxFrames: number
  /** Frames with source at most; 0 for positions only. */
  readonly maxExcerpts: number
}

/** Bounds of what is kept, and the masking of source. */
export interface StackFramesOptions extends SourceFilesOptions {
  /** Takes secrets out of strings and comments of the source. Default: nothing is masked. */
  readonly maskText?: MaskText
  /** Absolute directory of this library's code, `src` or `dist`: its calls are not the user's. Default: where it runs from. */
  readonly libraryRoot?: string
}

/** Reads stacks of one project; keeps files, excerpts and maps it has read, up to a bound. */
export class StackFrames {
  readonly #files: SourceFiles
  readonly #libraryRoot: string
  readonly #libraryFiles: SourceFiles
  readonly #maps: SourceMaps
  readonly #maskText: MaskText | undefined
  readonly #places = new Map<string, Place>()
  readonly #frames = new Map<string, KnownFrame>()
  readonly #located = new Map<string, LocatedCall>()
  readonly #stacks: KnownStacks

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string, options: StackFramesOptions = {}) {
    this.#files = new SourceFiles(projectRoot, options)
    this.#libraryRoot = normalizeRoot(options.libraryRoot ?? dirname(import.meta.dirname))
    this.#libraryFiles = new SourceFiles(dirname(this.#libraryRoot), options)
    this.#maps = new SourceMaps(this.#files, options.maxFiles ?? 100)
    this.#maskText = options.maskText
    this.#stacks = new KnownStacks(this.#files)
  }

  /**
   * Frames of a stack, innermost first. Source is that of own code; a stack without any shows the library's, where the
   * first call is one of it, as for a path that no route takes. The same calls give the same list as long as its files are.
   * `message` is the error's, which heads its stack. Never throws.
   */
  read(stack: string, message: string, bounds: FrameBounds): readonly Frame[] {
    if (stack === '' || bounds.maxFrames <= 0) return noFrames
    const calls = stack.slice(endOfHeader(stack, message))
    const known = this.#stacks.find(calls, bounds)
    if (known !== undefined) return known
    const frames = this.#readCalls(stackCalls(calls, { maxFrames: bounds.maxFrames }), bounds.maxExcerpts)
    // A part of a text keeps the whole of it in memory.
    if (stack.length <= 2 * calls.length + 1000) this.#stacks.keep(calls, bounds, frames)
    return frames
  }

  #readCalls(calls: readonly string[], maxExcerpts: number): Frame[] {
    let excerptsLeft = maxExcerpts
    let isFirst = true
    if (maxExcerpts > 0) this.#colour(calls.slice(0, maxExcerpts))
    const frames = calls.map((call) => {
      const frame = this.#read(call, excerptsLeft <= 0 ? 0 : isFirst ? excerptRadius : shortRadius)
      if (frame.excerpt === null) return frame
      excerptsLeft -= 1
      isFirst = false
      return frame
    })
    const [first] = calls
    if (excerptsLeft > 0 && first !== undefined && !frames.some(({ origin }) => origin === 'own')) {
      frames[0] = this.#firstOfLibrary(first) ?? frames[0] ?? this.#read(first, 0)
    }
    return frames
  }

  /** Colours the source around calls of own code, file by file: their lines overlap. */
  #colour(calls: readonly string[]): void {
    const ranges = new Map<SourceFile, LineRange[]>()
    let radius = excerptRadius
    for (const call of calls) {
      if (this.#frames.has(`${radius} ${call}`)) continue
      const { written, inLibrary, isReadable, file: path, line } = this.#locate(call)
      const file = inLibrary === null && isReadable && written.line > 0 ? this.#files.read(path) : null
      if (file === null) continue
      const known = ranges.get(file)
      const range = { first: line - radius, last: line + radius }
      if (known === undefined) ranges.set(file, [range])
      else known.push(range)
      radius = shortRadius
    }
    for (const [file, wanted] of ranges) colourLines(file, wanted, this.#maskText)
  }

  /** The same call comes again with every error: its frame is the same object for as long as its source file is. */
  #read(call: string, radius: number): Frame {
    const key = `${radius} ${call}`
    const known = this.#frames.get(key)
    if (known !== undefined && (known.file === null || this.#files.read(known.file.path) === known.file)) {
      return known.frame
    }
    const located = this.#locate(call)
    const frame = this.#libraryFrame(located, null) ?? this.#frame(located, radius)
    const file = frame.excerpt === null ? null : this.#files.read(frame.file)
    // A call of own code without source may have some the next time.
    const mayBeKept = file !== null || frame.origin !== 'own'
    if (mayBeKept && this.#frames.size < maxFrames && call.length < 1000) this.#frames.set(key, { frame, file })
    return frame
  }

  /** With source, which is only shown where there is no other. */
  #firstOfLibrary(call: string): Frame | null {
    const key = `${libraryName} ${call}`
    const known = this.#frames.get(key)
    if (known !== undefined) return known.frame
    const frame = this.#libraryFrame(this.#locate(call), this.#libraryFiles)
    if (frame !== null && this.#frames.size < maxFrames) this.#frames.set(key, { frame, file: null })
    return frame
  }

  /** A call of this library, with source from `files`; `null` for other calls. */
  #libraryFrame({ written, inLibrary: path }: LocatedCall, files: SourceFiles | null): Frame | null {
    if (path === null) return null
    const file = files?.read(path) ?? null
    return {
      functionName: written.functionName,
      file: `${libraryName}/${path}`,
      line: written.line,
      column: written.column,
      origin: 'dependency',
      isAsync: written.isAsync,
      excerpt: file === null ? null : sourceExcerpt(file, written.line, { maskText: this.#maskText }),
    }
  }

  /** Any other call, with `radius` lines of source before and after; 0 for none. */
  #frame({ written, file, line, column, origin, isReadable }: LocatedCall, radius: number): Frame {
    const source = radius > 0 && isReadable ? this.#files.read(file) : null
    return {
      functionName: written.functionName,
      file,
      line,
      column,
      origin,
      isAsync: written.isAsync,
      excerpt: source === null ? null : sourceExcerpt(source, line, { radius, maskText: this.#maskText }),
    }
  }

  /** Where a call is in the user's source. */
  #locate(call: string): LocatedCall {
    const known = this.#located.get(call)
    if (known !== undefined) return known
    const located = this.#locateLine(lineOf(call))
    // They are asked for twice in a row, and then only if the frame was not kept.
    if (this.#located.size >= maxLocated) this.#located.clear()
    if (call.length < 1000) this.#located.set(call, located)
    return located
  }

  #locateLine(written: StackLine): LocatedCall {
    const { named: compiled, inLibrary } = this.#place(written.location)
    const place = compiled.origin === 'own' ? this.#maps.find(compiled.file, written.line, written.column) : null
    const { line, column } = place ?? written
    const named = place === null ? compiled : frameFile(this.#absolute(place.location), this.#files.root)
    // Code that was mapped out of the project is still the user's own; it is shown as a position and not read.
    const origin =
      place !== null && named.path === null && !named.file.startsWith('node_modules/') ? 'own' : named.origin
    return { written, inLibrary, file: named.file, line, column, origin, isReadable: named.origin === 'own' }
  }

  /** Locations come again with every error; what they are called is kept. */
  #place(location: string): Place {
    const known = this.#places.get(location)
    if (known !== undefined) return known
    const named = frameFile(location, this.#files.root)
    const place = { named, inLibrary: libraryFile(location, this.#libraryRoot) }
    if (this.#places.size < maxPlaces && location.length < 1000) this.#places.set(location, place)
    return place
  }

  #absolute(location: string): string {
    return location.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(location)
      ? location
      : `${this.#files.root}/${location}`
  }
}

interface Place {
  readonly named: FrameFile
  /** Path in the library's package, or `null`. */
  readonly inLibrary: string | null
}

interface KnownFrame {
  readonly frame: Frame
  /** Where its excerpt is from; `null` for a frame without one. */
  readonly file: SourceFile | null
}

/** A call with its place in the user's source. */
interface LocatedCall extends Pick<Frame, 'file' | 'line' | 'column' | 'origin'> {
  readonly written: StackLine
  /** Path in the library's package, or `null`. */
  readonly inLibrary: string | null
  /** Whether its file is one of the project's. */
  readonly isReadable: boolean
}

const noFrames: readonly Frame[] = []
const maxLocated = 60
const maxPlaces = 500
const maxFrames = 500

/** Every line that `stackCalls` gives is a call. */
function lineOf(call: string): StackLine {
  return parseStackLine(call) ?? { functionName: null, location: '<anonymous>', line: 0, column: 0, isAsync: false }
}
