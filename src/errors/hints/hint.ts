// What explains a known error: the shape of the files of this folder, and of hints of one's own.

import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { FlattenedError } from '../flattened-error.ts'

/** An explanation, for people: what happened, and what to do. */
export interface Hint {
  /** One line: `Nothing listens on 127.0.0.1:5432`. */
  readonly title: string
  /** A few sentences of plain text. */
  readonly text: string
}

/** Marks by which an error is told to be none of a rule's without asking it. One of them, of any kind, is enough to be asked. */
export interface HintMarks {
  /** `error.code` as a whole: `ECONNREFUSED`. */
  readonly codes?: readonly string[]
  /** Class as a whole: `SyntaxError`. */
  readonly classes?: readonly string[]
  /** Parts of the message, as they are written there. */
  readonly texts?: readonly string[]
}

/** Knows one kind of error. */
export interface HintRule {
  /** Stable name: `connection-refused`. */
  readonly name: string
  /** Only errors with one of these marks are shown to `matches`. Default: every error is. */
  readonly asked?: HintMarks
  /** Whether this error is of the kind. `exchange` is the failed request. It may throw: that counts as no. */
  matches(error: FlattenedError, exchange: Exchange): boolean
  /** Says what happened. Asked only when `matches` said yes. `inner` is the error's cause, where it has one. */
  explain(error: FlattenedError, exchange: Exchange, inner?: FlattenedError): Hint
}
