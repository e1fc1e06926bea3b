// Remembers the frames of whole stacks. The same fault comes again and again while it is looked for, each time as a new error
// with the same calls; what was drawn and written of these frames can then be found by their list.

import type { Frame } from './flattened-error.ts'
import type { FrameBounds } from './flatten-error.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'

/** Stacks kept at most, and the characters of each. */
const maxStacks = 64
const maxStackChars = 16_384

/** The calls of stacks, as text, with their frames. */
export class KnownStacks {
  readonly #files: SourceFiles
  readonly #stacks = new Map<string, KnownStack>()

  /** `files`: where the source of the frames is from. */
  constructor(files: SourceFiles) {
    this.#files = files
  }

  /** The frames of a stack that was read within the same bounds, as long as their files are what they were. */
  find(calls: string, bounds: FrameBounds): readonly Frame[] | undefined {
    const known = this.#stacks.get(calls)
    if (known === undefined || known.maxFrames !== bounds.maxFrames || known.maxExcerpts !== bounds.maxExcerpts)
      return undefined
    for (const file of known.files) if (this.#files.read(file.path) !== file) return undefined
    return known.frames
  }

  /** Keeps the frames of a stack, with the files that they show; the oldest goes first. */
  keep(calls: string, { maxFrames, maxExcerpts }: FrameBounds, { frames, files }: ReadStack): void {
    if (calls.length > maxStackChars) return
    this.#stacks.delete(calls)
    const oldest = this.#stacks.size >= maxStacks ? this.#stacks.keys().next() : undefined
    if (oldest?.value !== undefined) this.#stacks.delete(oldest.value)
    this.#stacks.set(calls, { frames, files, maxFrames, maxExcerpts })
  }
}

/** Frames, and whose source they show. */
export interface ReadStack {
  readonly frames: readonly Frame[]
  readonly files: readonly SourceFile[]
}

interface KnownStack extends FrameBounds, ReadStack {}
