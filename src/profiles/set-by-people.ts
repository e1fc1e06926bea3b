// What people set, kept in the store for all of its processes: that recording is paused, and that an error is resolved, ignored or open
// again, with a comment.

import { wallMs } from '../base/timing/builtins.ts'
import { hostname, userInfo } from 'node:os'
import { membersOf } from '../base/members.ts'
import { Redactor } from '../base/redact/redactor.ts'

/** Recording was stopped by hand. */
export interface RecordingPause {
  /** Milliseconds since 1970. */
  readonly since: number
  /** `anna@web-1`, at most 100 characters. */
  readonly by: string
}

/** Keeps the pause that all processes of a store share. */
export interface PauseStore {
  /** `null`: recording is not paused. */
  read(): Promise<RecordingPause | null>
  /** `null` starts recording again. Rejects if that is not possible. */
  write(pause: RecordingPause | null): Promise<void>
  /**
   * Calls back with what is kept, and within a second after any process changed it. While the store cannot be reached nothing changes.
   * Returns what stops it.
   */
  watch(onChange: (pause: RecordingPause | null) => void): () => void
}

const maxName = 100

/** A pause that begins now, by the user of this process. */
export function pauseNow(now: number = wallMs()): RecordingPause {
  return { since: now, by: ownName() }
}

/** Who runs this process: `anna@web-1`, at most 100 characters. */
export function ownName(): string {
  return `${userName()}@${hostname()}`.slice(0, maxName)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The user of a container may have no name.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/** What a store holds; `null` for nothing and for what cannot be read. */
export function readPause(stored: unknown): RecordingPause | null {
  const { since, by } = membersOf(stored)
  if (typeof since !== 'number' || !Number.isFinite(since) || typeof by !== 'string') return null
  return { since, by: by.slice(0, maxName) }
}

/** `resolved`: it is not to happen again. `ignored`: it may. `open`: everything else. */
export type ErrorState = 'open' | 'resolved' | 'ignored'

/** All of them, in the order in which errors are listed. */
export const errorStates: readonly ErrorState[] = ['open', 'resolved', 'ignored']

/** A state that was set by hand. */
export interface ErrorMark {
  readonly state: ErrorState
  /** At most 500 characters; may be empty. */
  readonly comment: string
  /** `anna@web-1`. */
  readonly by: string
  /** Milliseconds since 1970. */
  readonly time: number
}

/** By the id of the error, the newest mark first. */
export type ErrorMarks = ReadonlyMap<string, readonly ErrorMark[]>

/** Keeps the marks of the 500 errors that were marked last, the newest 10 of each. */
export interface ErrorMarkStore {
  /** Rejects when the store fails. */
  read(): Promise<ErrorMarks>
  /** Rejects if it is not kept. */
  add(id: string, mark: ErrorMark): Promise<void>
}

/** A mark that is set now, by the user of this process. Secrets in the comment are masked. */
export function markNow(state: ErrorState, comment: string, now: number = wallMs()): ErrorMark {
  return { state, comment: new Redactor().text(comment.trim()).slice(0, maxComment), by: ownName(), time: now }
}

const maxMarked = 500
const maxMarks = 10
const maxComment = 500

/** What a store holds; nothing for what cannot be read. */
export function readMarks(stored: unknown): ErrorMarks {
  return new Map(
    Object.entries(membersOf(stored)).flatMap(([id, marks]) =>
      Array.isArray(marks) ? [[id, marks.filter(isMark)] as const] : [],
    ),
  )
}

function isMark(value: unknown): value is ErrorMark {
  const { state, comment, by, time } = membersOf(value)
  const isKnown = errorStates.some((one) => one === state)
  return isKnown && typeof comment === 'string' && typeof by === 'string' && Number.isFinite(time)
}

/** What a store holds after that. */
export function withMark(
  marks: ErrorMarks,
  id: string,
  mark: ErrorMark,
): Readonly<Record<string, readonly ErrorMark[]>> {
  const all = new Map([...marks, [id, [mark, ...(marks.get(id) ?? [])].slice(0, maxMarks)] as const])
  const newest = [...all].toSorted(([, [a]], [, [b]]) => (b?.time ?? 0) - (a?.time ?? 0))
  return Object.fromEntries(newest.slice(0, maxMarked))
}
