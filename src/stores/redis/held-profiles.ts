// Profiles that their part of the store did not take: they wait in memory, within bounds, while the other parts go on.

import type { FleetStats } from '../../profiler/fleet-stats.ts'
import type { HeldCounts } from './part-states.ts'
import type { StoredRow } from './profile-rows.ts'

const maxHeld = 2000
const maxHeldBytes = 32 * 1024 * 1024

/** The partitions whose profiles wait. */
type Holder = object

/** The profiles of all holders together, oldest first. */
export class HeldProfiles {
  readonly #held = new Map<string, { readonly row: StoredRow; readonly holder: Holder }>()
  readonly #onChange: (counts: HeldCounts) => void
  #bytes = 0
  #late = 0
  #dropped = 0
  #displaced = 0

  constructor(onChange: (counts: HeldCounts) => void) {
    this.#onChange = onChange
  }

  /** Beyond the bounds the oldest of all are dropped. */
  add(rows: readonly StoredRow[], holder: Holder): void {
    for (const row of rows) {
      this.#remove(row.token)
      this.#held.set(row.token, { row, holder })
      this.#bytes += row.bytes
    }
    for (const [token] of this.#held) {
      if (this.#held.size <= maxHeld && this.#bytes <= maxHeldBytes) break
      this.#remove(token)
      this.#dropped += 1
    }
    this.#onChange(this.stats)
  }

  /** They are stored. Those that were dropped meanwhile, or wait for another holder, do not count. */
  release(rows: readonly StoredRow[], holder: Holder): void {
    for (const { token } of rows) {
      if (this.#held.get(token)?.holder !== holder) continue
      this.#remove(token)
      this.#late += 1
    }
    this.#onChange(this.stats)
  }

  /** Stored ones were removed to make room, because the memory of their server was full. */
  displace(count: number): void {
    this.#displaced += count
  }

  of(holder: Holder): readonly StoredRow[] {
    return [...this.#held.values()].filter((one) => one.holder === holder).map(({ row }) => row)
  }

  get(token: string): StoredRow | undefined {
    return this.#held.get(token)?.row
  }

  get size(): number {
    return this.#held.size
  }

  get stats(): Pick<FleetStats, 'held' | 'heldBytes' | 'maxHeld' | 'maxHeldBytes' | 'late' | 'dropped' | 'displaced'> {
    const counts = { late: this.#late, dropped: this.#dropped, displaced: this.#displaced }
    return { held: this.#held.size, heldBytes: this.#bytes, maxHeld, maxHeldBytes, ...counts }
  }

  #remove(token: string): void {
    this.#bytes -= this.#held.get(token)?.row.bytes ?? 0
    this.#held.delete(token)
  }
}
