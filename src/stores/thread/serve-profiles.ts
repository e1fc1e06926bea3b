// What calls for profiles do, in the thread of profiles or without it: profiles are made of records, and kept in a place.

import { type AssemblyOptions, createAssembler, type Assembler } from '../../profiles/assemble-profile.ts'
import { isProfileRefusedError, ProfileRefusedError, type ProfileStore } from '../../profiles/profile-store.ts'
import { EngineError, isEngineError, type EngineErrorCode } from '../engine-error.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { libraryCollectors } from '../../capture/parts.ts'
import type { RequestRecord } from '../../observe/request-record.ts'
import type { EncodedProfile } from './profile-columns.ts'

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
function sizeOf(call: Call): number {
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

function packError(error: Error): PackedError {
  const { message } = error
  if (isProfileRefusedError(error)) return { message, refused: { tokens: error.tokens, reason: error.reason } }
  return isEngineError(error) ? { message, code: error.code } : { message }
}

export function unpackError({ message, code = 'ERR_STORE_FAILED', refused }: PackedError): Error {
  return refused === undefined
    ? new EngineError(code, message)
    : new ProfileRefusedError(refused.tokens, refused.reason)
}

/** Where profiles are kept. Each call may reject with anything. */
export interface ProfilePlace extends Pick<ProfileStore, 'find' | 'group' | 'gather' | 'purge' | 'stats'> {
  /** As JSON. */
  read(token: string): Promise<string | undefined>
  /** Writes profiles, all or none. Each is made when it is asked for: of a batch, only what is stored is held. */
  write(profiles: Iterable<EncodedProfile>): Promise<void>
  close(): Promise<void>
  /** The error that the caller gets for one that was thrown here: a line that names the place. */
  toError(thrown: unknown): Error
}

/** Serves the calls of the main thread. `open` gets the options that the thread was started with. */
export function serveProfiles(open: (options: unknown, onWarning: (line: string) => void) => ProfilePlace): void {
  const { options, replies } = workerData as ThreadData
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker of a store only.')
  const reply = (message: Reply): void => port.postMessage(message)
  const place = open(options, (warning) => reply({ warning }))
  const perform = performIn(place)

  const respond = async (call: Call): Promise<void> => {
    const { id } = call
    try {
      reply({ id, result: await perform(call) })
    } catch (thrown) {
      reply({ id, failure: packError(place.toError(thrown)) })
    }
    Atomics.add(replies, 0, 1)
    Atomics.notify(replies, 0)
  }

  port.on('message', (call: Call) => void respond(call))
  reply({ isOpen: true })
}

/**
 * Profiles that are no work for a thread, which costs 20 MB and as much time as writing them. SQLite moves nothing from its log into
 * the file meanwhile: it does so, and waits for the disk, with every thousandth page.
 */
export const fewProfiles = 100

/** Profiles that do not wait for a thread that starts, which takes seconds on a busy machine: a process that is killed meanwhile has them. */
const maxEarly = 1000

/** Performs calls in the thread that makes them, but no search, and only so many profiles. `few` are no work for a thread. */
export function performFew(few: number, open: (giveUp: () => void) => ProfilePlace): PerformFew {
  let profiles = 0
  const place = open(() => (profiles = Infinity))
  const perform = performIn(place)
  return (call, isStarting) => {
    const size = sizeOf(call)
    if (profiles + size > (isStarting ? maxEarly : few)) return undefined
    profiles += size
    return perform(call).catch((thrown: unknown): never => {
      throw place.toError(thrown)
    })
  }
}

function performIn(place: ProfilePlace): (call: Call) => Promise<unknown> {
  let tools: { readonly options: AssemblyOptions; readonly assembler: Assembler } | undefined
  return async (call) => {
    switch (call.name) {
      case 'write':
        return place.write(call.args[0].values().map((json) => ({ profile: JSON.parse(json), json })))
      case 'writeRecords': {
        const [records, given] = call.args
        const options = given ?? tools?.options
        if (options === undefined) throw new Error('Records arrived before the options to make profiles of them')
        if (tools?.options !== options) tools = { options, assembler: createAssembler(options, libraryCollectors) }
        const { assembler } = tools
        return place.write(records.values().map((json) => assemble(JSON.parse(json) as RequestRecord, assembler)))
      }
      default: {
        const result: unknown = Reflect.apply(place[call.name], place, call.args)
        return result
      }
    }
  }
}

function assemble(record: RequestRecord, assembler: Assembler): EncodedProfile {
  try {
    const profile = assembler.assemble(record)
    return { profile, json: JSON.stringify(profile) }
  } catch (cause) {
    throw new ProfileRefusedError([record.token], 'no profile can be made of it', { cause })
  }
}
