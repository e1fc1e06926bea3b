// The profiles of a SQLite file, seen from the main thread: encodes once, leaves the rest to the worker.

import { type Profile, tokenPattern } from '../../profiler/profile.ts'
import {
  ProfileRefusedError,
  type GroupBy,
  type PageRequest,
  type ProfileFilter,
  type ProfileGroups,
  type ProfilePage,
  type ProfileStoreStats,
} from '../../profiler/profile-store.ts'
import type { AssemblyOptions } from '../../profiler/assemble-profile.ts'
import type { AssemblingStore } from '../../profiler/write-batch.ts'
import type { RequestRecord } from '../../profiler/request-record.ts'
import type { WorkerClient } from './worker-client.ts'

/** Sends profiles as JSON and parses what comes back. */
export class SqliteProfileStore implements AssemblingStore {
  readonly name: string
  readonly #client: WorkerClient

  constructor(name: string, client: WorkerClient) {
    this.name = name
    this.#client = client
  }

  async write(profiles: readonly Profile[]): Promise<void> {
    if (profiles.length > 0) await this.#client.call('write', profiles.map(encode))
  }

  async writeRecords(records: readonly RequestRecord[], options: AssemblyOptions): Promise<void> {
    if (records.length > 0) await this.#client.writeRecords(records, options)
  }

  async read(token: string): Promise<Profile | undefined> {
    if (!tokenPattern.test(token)) return undefined
    const json = await this.#client.call('read', [token])
    return json === null ? undefined : decodeProfile(json)
  }

  async find(filter: ProfileFilter, page: PageRequest = {}): Promise<ProfilePage> {
    return decodePage(await this.#client.call('find', [JSON.stringify([filter, page])]))
  }

  async group(filter: ProfileFilter, by: GroupBy): Promise<ProfileGroups> {
    return decodeGroups(await this.#client.call('group', [JSON.stringify([filter, by])]))
  }

  async purge(before?: number): Promise<number> {
    return Number(await this.#client.call('purge', before === undefined ? [] : [String(before)]))
  }

  async stats(): Promise<ProfileStoreStats> {
    return decodeStats(await this.#client.call('stats'))
  }
}

function encode(profile: Profile): string {
  try {
    return JSON.stringify(profile)
  } catch (error) {
    throw new ProfileRefusedError([profile.token], 'its data is no JSON', { cause: error })
  }
}

// The worker checked token, form and checksum of what it sends; the JSON is what `encode` made.
function decodeProfile(json: string): Profile {
  return JSON.parse(json) as Profile
}

function decodePage(json: string | null): ProfilePage {
  return JSON.parse(json ?? 'null') as ProfilePage
}

function decodeGroups(json: string | null): ProfileGroups {
  return JSON.parse(json ?? 'null') as ProfileGroups
}

function decodeStats(json: string | null): ProfileStoreStats {
  return JSON.parse(json ?? 'null') as ProfileStoreStats
}
