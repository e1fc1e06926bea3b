// Which parts of a shared store did not respond while something was read, and how pages and commands say it.

import type { MissingParts, ProfileStore } from '../profile-store.ts'

type Reads = Pick<ProfileStore, 'find' | 'group' | 'gather' | 'read' | 'stats'>

/** Reads as the store does, and notes which parts were missing in anything that was read so far. */
export class NotedReads implements Reads {
  readonly #profiles: Reads
  #missing: MissingParts | undefined

  constructor(profiles: Reads) {
    this.#profiles = profiles
  }

  /** The most that were missing at a time; `undefined`: all parts responded. */
  get missing(): MissingParts | undefined {
    return this.#missing
  }

  readonly find: Reads['find'] = async (...asked) => this.#noted(await this.#profiles.find(...asked))
  readonly group: Reads['group'] = async (...asked) => this.#noted(await this.#profiles.group(...asked))
  readonly gather: Reads['gather'] = async (...asked) => this.#noted(await this.#profiles.gather(...asked))
  readonly stats: Reads['stats'] = async () => this.#noted(await this.#profiles.stats())
  readonly read: Reads['read'] = (token) => this.#profiles.read(token)

  #noted<Read extends { readonly missing?: MissingParts }>(read: Read): Read {
    if ((read.missing?.parts ?? 0) > (this.#missing?.parts ?? 0)) this.#missing = read.missing
    return read
  }
}

/** `4 of 12 parts of the store are not reachable; their profiles are missing here.` */
export function missingSentence({ parts, of }: MissingParts): string {
  return parts === 1
    ? `1 of ${of} parts of the store is not reachable; its profiles are missing here.`
    : `${parts} of ${of} parts of the store are not reachable; their profiles are missing here.`
}

/** In place of an empty list or page, where parts are missing: nobody knows what they hold. */
export const noneReachable = 'The parts of the store that responded have no profiles.'

export function nothingYet(missing: MissingParts | undefined): string {
  return missing === undefined ? 'No request has been profiled yet: open a page of the application.' : noneReachable
}
