// From the text of a stack to frames as they are shown: whose code, which file of the source, with which lines around
// it.

import { dirname } from 'node:path'
import type { Frame } from './flattened-error.ts'
import { frameFile, libraryFile, libraryName, normalizeRoot } from './frame-file.ts'
import { sourceExcerpt, type MaskText } from './source-excerpt.ts'
import { SourceFiles, type SourceFilesOptions } from './source-files.ts'
import { SourceMaps } from './source-maps.ts'
import { parseStack, type StackLine } from './stack-lines.ts'

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

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string, options: StackFramesOptions = {}) {
    this.#files = new SourceFiles(projectRoot, options)
    this.#libraryRoot = normalizeRoot(options.libraryRoot ?? dirname(import.meta.dirname))
    this.#libraryFiles = new SourceFiles(dirname(this.#libraryRoot), options)
    this.#maps = new SourceMaps(this.#files, options.maxFiles ?? 100)
    this.#maskText = options.maskText
  }

  /**
   * Frames of a stack, innermost first. Source is that of own code; a stack without any shows the library's, where the
   * first call is one of it, as for a path that no route takes.
   * `message` is the error's, which heads its stack. Never throws.
   */
  read(stack: string, message: string, bounds: FrameBounds): Frame[] {
    if (stack === '' || bounds.maxFrames <= 0) return []
    let excerptsLeft = bounds.maxExcerpts
    const lines = parseStack(stack, { message, maxFrames: bounds.maxFrames })
    const frames = lines.map((line) => {
      const frame = this.#libraryFrame(line, null) ?? this.#frame(line, excerptsLeft > 0)
      if (frame.excerpt !== null) excerptsLeft -= 1
      return frame
    })
    const [first] = lines
    if (excerptsLeft > 0 && first !== undefined && !frames.some(({ origin }) => origin === 'own')) {
      frames[0] = this.#libraryFrame(first, this.#libraryFiles) ?? frames[0] ?? this.#frame(first, false)
    }
    return frames
  }

  /** A call of this library, with source from `files`; `null` for other calls. */
  #libraryFrame(written: StackLine, files: SourceFiles | null): Frame | null {
    const path = libraryFile(written.location, this.#libraryRoot)
    if (path === null) return null
    const file = files?.read(path) ?? null
    return {
      functionName: written.functionName,
      file: `${libraryName}/${path}`,
      line: written.line,
      column: written.column,
      origin: 'dependency',
      isAsync: written.isAsync,
      excerpt: file === null ? null : sourceExcerpt(file, written.line, this.#maskText),
    }
  }

  #frame(written: StackLine, withExcerpt: boolean): Frame {
    const compiled = frameFile(written.location, this.#files.root)
    const place = compiled.origin === 'own' ? this.#maps.find(compiled.file, written.line, written.column) : null
    const { line, column } = place ?? written
    const named = place === null ? compiled : frameFile(this.#absolute(place.location), this.#files.root)
    // Code that was mapped out of the project is still the user's own; it is shown as a position and not read.
    const origin =
      place !== null && named.path === null && !named.file.startsWith('node_modules/') ? 'own' : named.origin
    const file = withExcerpt && named.origin === 'own' ? this.#files.read(named.file) : null
    return {
      functionName: written.functionName,
      file: named.file,
      line,
      column,
      origin,
      isAsync: written.isAsync,
      excerpt: file === null ? null : sourceExcerpt(file, line, this.#maskText),
    }
  }

  #absolute(location: string): string {
    return location.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(location)
      ? location
      : `${this.#files.root}/${location}`
  }
}
