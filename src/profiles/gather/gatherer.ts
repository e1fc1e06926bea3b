// What is put together from the data of many profiles, where they are kept. Stores read the profiles; a gatherer says which, and what of them.

import type { Profile, ProfileSummary } from '../../observe/profile.ts'

/** For one gathering; profiles come newest first. */
export interface Gatherer<Found extends object> {
  /** Whether a profile is worth reading. */
  wants(summary: ProfileSummary): boolean
  add(profile: Profile): void
  /** Whether nothing more is needed. Default: it never is. */
  isFull?(): boolean
  /** Plain JSON. */
  found(): Found
}

export interface GatheredFrom {
  readonly profileCount: number
  /** Whether there are older ones that were not read, or may be. */
  readonly isCut: boolean
  /** Parts of the store that did not respond. Default: all responded. */
  readonly missing?: { readonly parts: number; readonly of: number }
}

/** Profiles that are read for one gathering, at most, and bytes of their JSON: half a second, about. */
export const maxGathered = 2000
const maxGatheredBytes = 48 * 1024 * 1024

export class Gathering<Found extends object> {
  readonly #gatherer: Gatherer<Found>
  #profileCount = 0
  #bytes = 0
  #isCut = false

  constructor(gatherer: Gatherer<Found>) {
    this.#gatherer = gatherer
  }

  /** Whether a profile is to be read. */
  wants(summary: ProfileSummary): boolean {
    if (this.#isCut || !this.#gatherer.wants(summary)) return false
    this.#isCut =
      this.#profileCount >= maxGathered || this.#bytes >= maxGatheredBytes || this.#gatherer.isFull?.() === true
    return !this.#isCut
  }

  /** `bytes`: of its JSON, about. */
  add(profile: Profile, bytes: number): void {
    this.#profileCount += 1
    this.#bytes += bytes
    this.#gatherer.add(profile)
  }

  /** `isCut`: older profiles were not offered. */
  found(isCut: boolean): Found & GatheredFrom {
    return { ...this.#gatherer.found(), profileCount: this.#profileCount, isCut: this.#isCut || isCut }
  }
}
