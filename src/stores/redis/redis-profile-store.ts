// The profiles of a store in Redis, as the main thread sees them.

import type { FleetStats } from '../../profiler/fleet-stats.ts'
import type { ProfileStoreStats } from '../../profiler/profile-store.ts'
import type { ProfileThread } from '../thread/profile-thread.ts'
import { ThreadedProfileStore } from '../thread/threaded-profile-store.ts'
import { pickPart, takesProfiles, type SharedPartStates } from './part-states.ts'
import { endingOf } from './partitions.ts'

/** How long new tokens end in the same letter, in milliseconds: so the profiles of a batch lie in one part, and all parts fill alike. */
const endingMs = 1000

/** What the main thread knows of the fleet. */
type FleetFacts = Pick<FleetStats, 'members' | 'currenciesTime'>

export class RedisProfileStore extends ThreadedProfileStore {
  readonly #states: SharedPartStates
  readonly #facts: () => Promise<FleetFacts>
  #part = 0
  #endsAt = 0

  constructor(name: string, thread: ProfileThread, states: SharedPartStates, facts: () => Promise<FleetFacts>) {
    super(name, thread)
    this.#states = states
    this.#facts = facts
  }

  newTokenEnding(): string {
    const now = performance.now()
    if (now >= this.#endsAt || !takesProfiles(this.#states, this.#part)) {
      this.#endsAt = now + endingMs
      this.#part = pickPart(this.#states)
    }
    return endingOf(this.#part)
  }

  override async stats(): Promise<ProfileStoreStats> {
    const [{ fleet, ...stats }, facts] = await Promise.all([super.stats(), this.#facts()])
    return { ...stats, ...(fleet !== undefined && { fleet: { ...fleet, ...facts } }) }
  }
}
