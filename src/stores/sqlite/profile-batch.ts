// Profiles made ready to be written together: a row of columns for each, and their bodies packed in blocks.

import { BlockPacker, type BodyBlock } from './body-blocks.ts'
import { toRow, type ProfileRow } from './profile-columns.ts'

/** A profile, and the same as JSON. */
export interface EncodedProfile {
  /** Checked before it is written. */
  readonly profile: unknown
  readonly json: string
}

/** What is written of one profile. */
export interface BatchRow extends ProfileRow {
  /** So many profiles of the batch later stands the last one of its block, where the body is. */
  readonly bodyAhead: number
  /** Place of its text in the body. */
  readonly bodyPlace: number
  /** What the profile counts towards the bound of the store: its share of the body, columns and a share of the indices. */
  readonly bytes: number
}

/** What one write takes. */
export interface ProfileBatch {
  /** In the order in which they are numbered. */
  readonly rows: readonly BatchRow[]
  readonly blocks: readonly BodyBlock[]
}

/**
 * Prepares batch after batch. Profiles that are kept longer share no block with others: each class goes oldest first, so that
 * a block is done with when its last profile goes.
 */
export class BatchPreparer {
  readonly #ordinary = new BlockPacker()
  readonly #longer = new BlockPacker()

  /** Takes each profile when it comes and keeps no more of it than its row. Throws `ProfileRefusedError` as `toRow` does. */
  prepare(profiles: Iterable<EncodedProfile>): ProfileBatch {
    const rows: ProfileRow[] = []
    try {
      for (const { profile, json } of profiles) {
        const row = toRow(profile)
        const packer = row.isKeptLonger ? this.#longer : this.#ordinary
        packer.add(rows.push(row) - 1, json)
      }
    } catch (error) {
      this.#finish()
      throw error
    }
    const blocks = this.#finish()
    return { rows: inBlocks(rows, blocks), blocks }
  }

  #finish(): readonly BodyBlock[] {
    return [...this.#ordinary.finish(), ...this.#longer.finish()]
  }
}

function inBlocks(rows: readonly ProfileRow[], blocks: readonly BodyBlock[]): readonly BatchRow[] {
  const placed: BatchRow[] = []
  for (const { places, shares } of blocks) {
    const last = lastOf(places)
    for (const [bodyPlace, place] of places.entries()) {
      const row = rows[place]
      if (row === undefined) continue
      placed[place] = { ...row, bodyAhead: last - place, bodyPlace, bytes: row.bytes + (shares[bodyPlace] ?? 0) }
    }
  }
  return placed
}

/** The place in the batch of the profile at which a block stands. */
export function lastOf(places: readonly number[]): number {
  return places.at(-1) ?? 0
}
