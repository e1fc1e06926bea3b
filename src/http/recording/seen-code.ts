// What was noted of the application's own code while a request ran it, for who explains its errors.

/** The field of a request that asks for a measurement of this very request: `cpu`, `memory`, or `code`, which is also called `values`. */
export const profileHeader = 'x-fanlight-profile'

/** In the source that the code was written in; the column is `null` where only the line is known. */
export interface SeenPlace {
  readonly file: string
  readonly line: number
  readonly column: number | null
}

/** One call, at the place of its function. */
export interface SeenCall extends SeenPlace {
  readonly name: string
  readonly endLine: number
  /** The call that it was made from, if that was noted. */
  readonly parent: SeenCall | undefined
  readonly end: 'returned' | 'threw' | null
  /** Whether nothing of it was left out, and none of it can be another one's. */
  readonly isWhole: boolean
  /** What its function was seen to do that is hardly meant: the line to change, and the one that was running. */
  readonly odd: readonly { readonly line: number; readonly seenAt: number; readonly text: string }[]
  readonly notes: readonly SeenNote[]
}

/** Taken before the code of its place ran. */
export interface SeenNote extends Pick<SeenPlace, 'line' | 'column'> {
  /** Its number among all notes of the request. */
  readonly at: number
  /** Variables that could be seen. */
  readonly names: readonly string[]
  /** Those that the code since the note before gave another value. */
  readonly changed: ReadonlyMap<string, string>
}
