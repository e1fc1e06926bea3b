// What the main thread and the thread of profiles send each other.

import type { AssemblyOptions } from '../../profiles/assemble-profile.ts'
import { isProfileRefusedError, ProfileRefusedError } from '../../profiles/profile-refused-error.ts'
import type { ProfileStore } from '../../profiles/profile-store.ts'
import { EngineError, isEngineError, type EngineErrorCode } from '../engine-error.ts'

export interface ThreadData {
  /** As the program of the thread knows them. */
  readonly options: unknown
  /** Counts replies in its first place: for a main thread that waits without reading them. */
  readonly replies: Int32Array<SharedArrayBuffer>
}

/** What it does as a store does it. */
type StoreCalls = {
  [Name in 'find' | 'group' | 'gather' | 'purge' | 'stats']: (
    ...args: Parameters<ProfileStore[Name]>
  ) => Awaited<ReturnType<ProfileStore[Name]>>
}

/** What the thread can be asked for, and what it gives. */
export interface ProfileCalls extends StoreCalls {
  /** Writes profiles, each as JSON. */
  write(profiles: readonly string[]): void
  /** Makes profiles of records, each as JSON, and writes them. `options` is `null` if the thread has them already. */
  writeRecords(records: readonly string[], options: AssemblyOptions | null): void
  /** Gives the profile as JSON. */
  read(token: string): string | undefined
  /** Finishes what is open and closes the place. */
  close(): void
}

export type Call = {
  [Name in keyof ProfileCalls]: {
    readonly id: number
    readonly name: Name
    readonly args: Parameters<ProfileCalls[Name]>
  }
}[keyof ProfileCalls]

/** Performs a call without the thread, which may be starting; gives `undefined` for one that is worth a thread. */
export type PerformFew = (call: Call, isStarting: boolean) => Promise<unknown> | undefined

/** How many profiles a call is about; a search looks at any number. */
export function sizeOf(call: Call): number {
  if (call.name === 'write' || call.name === 'writeRecords') return call.args[0].length
  return call.name === 'read' ? 1 : Number.POSITIVE_INFINITY
}

/** The response to the call of the same `id`, or what nobody asked for: a warning, and that the thread takes calls from now on. */
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: PackedError }
  | { readonly warning: string }
  | { readonly isOpen: true }

/** An error as plain data: structured clone keeps neither class nor code. */
interface PackedError {
  readonly message: string
  readonly code?: EngineErrorCode
  readonly refused?: Pick<ProfileRefusedError, 'tokens' | 'reason'>
}

export function packError(error: Error): PackedError {
  const { message } = error
  if (isProfileRefusedError(error)) return { message, refused: { tokens: error.tokens, reason: error.reason } }
  return isEngineError(error) ? { message, code: error.code } : { message }
}

export function unpackError({ message, code = 'ERR_STORE_FAILED', refused }: PackedError): Error {
  return refused === undefined
    ? new EngineError(code, message)
    : new ProfileRefusedError(refused.tokens, refused.reason)
}
