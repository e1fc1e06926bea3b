// The port behind which a pause of recording is kept, so that all processes of a store hear of it.

import { wallMs } from '../base/timing/builtins.ts'
import { hostname, userInfo } from 'node:os'
import { membersOf } from '../base/members.ts'

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
