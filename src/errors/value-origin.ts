// Where the values of a failed line come from, and which lines to change: what the error page shows beside the trace.

import type { ErrorChain, FlattenedError, SourceExcerpt } from './flattened-error.ts'
import type { Hint } from './hints/hint.ts'
import type { KeptName } from '../http/recording/recording.ts'

/** Where one name of a line gets its value. */
export interface ValueOrigin {
  /** The line that uses the name: `src/cart.ts:12`. */
  readonly usedAt: string
  /** As that line spells it: `total`, `config.host`, `findOrder()`. */
  readonly name: string
  /** One sentence: `Returns undefined in line 31`, `INVENTORY_HOST is not set; INVENTORY_HOSTNAME is`. */
  readonly note: string
  /** Source of the definition; `null` if there is none to show. */
  readonly source: OriginSource | null
}

/** The lines of one definition that matter. */
export interface OriginSource {
  /** Relative to the project root. */
  readonly file: string
  /** First line of the definition, from 1. */
  readonly line: number
  /** In order; lines between two parts are folded. */
  readonly parts: readonly SourceExcerpt[]
  /** Numbers of the lines that decide the value: each `return`, each assignment. */
  readonly marked: readonly number[]
}

export interface ChangeCandidate {
  /** Relative to the project root. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** `returns undefined when the shelf is unknown`. */
  readonly why: string
}

/** Said of a line for which nothing better is known. A page marks it. */
export const failedLine = 'is the line that failed'

/** What explains an error beside its chain. All text is masked. */
export interface Explanation {
  readonly hints: readonly Hint[]
  readonly origins: readonly ValueOrigin[]
  /** Most likely first. */
  readonly candidates: readonly ChangeCandidate[]
  /** The errors with the variables of their frames, if those were noted. */
  readonly errors?: readonly FlattenedError[]
}

/** A masked chain as the profile keeps it. Outside debug nothing explains it. */
export interface ExplainedChain extends ErrorChain, Partial<Omit<Explanation, 'errors'>> {}

export const exceptionName: KeptName<ExplainedChain> = 'exception'
