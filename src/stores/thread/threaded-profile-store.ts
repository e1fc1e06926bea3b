// The profiles that a thread keeps, as the main thread sees them.

import type { AssemblyOptions } from '../../profiler/assemble-profile.ts'
import { tokenPattern, type Profile } from '../../profiler/profile.ts'
import { ProfileRefusedError } from '../../profiler/profile-refused-error.ts'
import type {
  GroupBy,
  GroupRequest,
  PageRequest,
  ProfileFilter,
  ProfileGroups,
  ProfilePage,
  ProfileStoreStats,
} from '../../profiler/profile-store.ts'
import type { AssemblingStore } from '../../profiler/write-batch.ts'
import type { ProfileThread } from './profile-thread.ts'

export class ThreadedProfileStore implements AssemblingStore {
  readonly name: string
  readonly #thread: ProfileThread

  constructor(name: string, thread: ProfileThread) {
    this.name = name
    this.#thread = thread
  }

  async write(profiles: readonly Profile[]): Promise<void> {
    if (profiles.length > 0) await this.#thread.call('write', profiles.map(encode))
  }

  async writeRecords(records: readonly string[], options: AssemblyOptions): Promise<void> {
    if (records.length > 0) await this.#thread.writeRecords(records, options)
  }

  settle(budgetMs: number): void {
    this.#thread.settle(budgetMs)
  }

  async read(token: string): Promise<Profile | undefined> {
    if (!tokenPattern.test(token)) return undefined
    const json = await this.#thread.call('read', token)
    // A checksum guards what `encode` made.
    return json === undefined ? undefined : (JSON.parse(json) as Profile)
  }

  find(filter: ProfileFilter, page: PageRequest = {}): Promise<ProfilePage> {
    return this.#thread.call('find', filter, page)
  }

  group(filter: ProfileFilter, by: GroupBy, request?: GroupRequest): Promise<ProfileGroups> {
    return this.#thread.call('group', filter, by, request)
  }

  purge(before?: number): Promise<number> {
    return this.#thread.call('purge', before)
  }

  stats(): Promise<ProfileStoreStats> {
    return this.#thread.call('stats')
  }
}

function encode(profile: Profile): string {
  try {
    return JSON.stringify(profile)
  } catch (error) {
    throw new ProfileRefusedError([profile.token], 'its data is not JSON', { cause: error })
  }
}
