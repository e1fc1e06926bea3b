// From the text of a stack to frames as they are shown: whose code, which file of the source, with which lines around
// it.

import path from 'node:path'
import { libraryRoot } from '../framework/config/own-package.ts'
import type { FrameBounds, FrameReader } from './flatten-error.ts'
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

/** Bounds of what is kept, and the masking of source. */
export interface StackFramesOptions extends SourceFilesOptions {
  /** Takes secrets out of strings and comments of the source. Default: nothing is masked. */
  readonly maskText?: MaskText
  /** Absolute directory of this library's code, `src` or `dist`: its calls are not the user's. Default: where it runs from. */
  readonly libraryRoot?: string
}

/** Reads stacks of one project; keeps files, excerpts and maps it has read, up to a bound. */
export class StackFrames implements FrameReader {
  readonly #files: SourceFiles
  readonly #libraryRoot: string
  readonly #libraryFiles: SourceFiles
  readonly #maps: SourceMaps
  readonly #maskText: MaskText | undefined
  readonly #places = new Map<string, Place>()
  readonly #located = new Map<string, LocatedCall>()
  readonly #stacks: KnownStacks

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string, options: StackFramesOptions = {}) {
    this.#files = new SourceFiles(projectRoot, options)
    this.#libraryRoot = normalizeRoot(options.libraryRoot ?? libraryRoot())
    this.#libraryFiles = new SourceFiles(path.dirname(this.#libraryRoot), options)
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
    const located = stackCalls(calls, { maxFrames: bounds.maxFrames }).map((call) => this.#locate(call))
    const sources = this.#sources(located, bounds.maxExcerpts)
    const frames = located.map((call, index) => this.#frame(call, sources.shown[index]))
    const [first] = located
    if (sources.missing > 0 && first !== undefined && !frames.some(({ origin }) => origin === 'own')) {
      frames[0] = this.#frame(first, this.#librarySource(first))
    }
    // A part of a text keeps the whole of it in memory. Own code without source may have some the next time.
    if (sources.isWhole && stack.length <= 2 * calls.length + 1000) {
      this.#stacks.keep(calls, bounds, { frames, files: sources.files })
    }
    return frames
  }

  /** Source for as many calls of own code as may have some; the first of them has the most. Coloured file by file. */
  #sources(calls: readonly LocatedCall[], maxExcerpts: number): Sources {
    const shown: ShownSource[] = []
    const ranges = new Map<string, FileRanges>()
    let missing = maxExcerpts
    let isWhole = true
    for (let index = 0; index < calls.length && missing > 0; index += 1) {
      const call = calls[index]
      if (call === undefined || call.inLibrary !== null || !call.isReadable) continue
      const { file: path, line } = call
      let known = ranges.get(path)
      if (known === undefined) ranges.set(path, (known = { file: this.#files.read(path), ranges: [] }))
      const { file } = known
      if (file === null) isWhole = false
      if (file === null || !(line >= 1 && line <= file.lines.length)) continue
      const radius = missing === maxExcerpts ? excerptRadius : shortRadius
      known.ranges.push({ first: line - radius, last: line + radius })
      shown[index] = { file, radius }
      missing -= 1
    }
    const files: SourceFile[] = []
    for (const { file, ranges: wanted } of ranges.values()) {
      if (file === null) continue
      files.push(file)
      colourLines(file, wanted, this.#maskText)
    }
    return { shown, files, missing, isWhole }
  }

  /** The library's own source, which is only shown where there is no other. */
  #librarySource({ inLibrary }: LocatedCall): ShownSource | undefined {
    const file = inLibrary === null ? null : this.#libraryFiles.read(inLibrary)
    return file === null ? undefined : { file, radius: excerptRadius }
  }

  #frame({ written, inLibrary, file, line, column, origin }: LocatedCall, source: ShownSource | undefined): Frame {
    const { functionName, isAsync } = written
    const excerpt =
      source === undefined
        ? null
        : sourceExcerpt(source.file, line, { radius: source.radius, maskText: this.#maskText })
    return inLibrary === null
      ? { functionName, file, line, column, origin, isAsync, excerpt }
      : { functionName, file: `${libraryName}/${inLibrary}`, line, column, origin: 'dependency', isAsync, excerpt }
  }

  /** Where a call is in the user's source. */
  #locate(call: string): LocatedCall {
    const known = this.#located.get(call)
    if (known !== undefined) return known
    const located = this.#locateLine(lineOf(call))
    if (this.#located.size >= maxLocated) this.#located.clear()
    if (call.length < 1000) this.#located.set(call, located)
    return located
  }

  #locateLine(written: StackLine): LocatedCall {
    const { named: compiled, inLibrary } = this.#place(written.location)
    if (inLibrary !== null) {
      const { line, column } = written
      return { written, inLibrary, file: compiled.file, line, column, origin: 'dependency', isReadable: false }
    }
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

/** What is shown of a file around a call. */
interface ShownSource {
  readonly file: SourceFile
  readonly radius: number
}

/** What is wanted of a file; `null` where it cannot be read. */
interface FileRanges {
  readonly file: SourceFile | null
  readonly ranges: LineRange[]
}

/** The source for the calls of a stack. */
interface Sources {
  /** By the index of the call. */
  readonly shown: readonly (ShownSource | undefined)[]
  readonly files: readonly SourceFile[]
  /** How many more calls might have some. */
  readonly missing: number
  /** Whether every call of own code that may have source has it. */
  readonly isWhole: boolean
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
const maxLocated = 500
const maxPlaces = 500

/** Every line that `stackCalls` gives is a call. */
function lineOf(call: string): StackLine {
  return parseStackLine(call) ?? { functionName: null, location: '<anonymous>', line: 0, column: 0, isAsync: false }
}
