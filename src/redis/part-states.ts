// What the thread of profiles tells the main thread of the parts of the store, in memory that both see: how many there are,
// which of them do not take profiles now, and how many profiles wait for that reason.

import type { FleetStats } from '../profiles/fleet-stats.ts'
import { maxPartitions } from './store-format.ts'

export type SharedPartStates = Int32Array<SharedArrayBuffer>

export type HeldCounts = Pick<FleetStats, 'held' | 'dropped'>

const places = { partCount: 0, held: 1, dropped: 2, firstPart: 3 } as const

export function makePartStates(): SharedPartStates {
  return new Int32Array(new SharedArrayBuffer(4 * (places.firstPart + maxPartitions)))
}

/** The thread's side. */
export function notePartCount(states: SharedPartStates, count: number): void {
  Atomics.store(states, places.partCount, count)
}

/** The thread's side. */
export function notePartState(states: SharedPartStates, index: number, isFailing: boolean): void {
  Atomics.store(states, places.firstPart + index, isFailing ? 1 : 0)
}

/** The thread's side. */
export function noteHeld(states: SharedPartStates, { held, dropped }: HeldCounts): void {
  Atomics.store(states, places.held, held)
  Atomics.store(states, places.dropped, dropped)
}

/** What this process holds now, and what it has dropped so far. */
export function heldCounts(states: SharedPartStates): HeldCounts {
  return { held: Atomics.load(states, places.held), dropped: Atomics.load(states, places.dropped) }
}

export function takesProfiles(states: SharedPartStates, index: number): boolean {
  return Atomics.load(states, places.firstPart + index) === 0
}

/** A part that takes profiles, by chance; any part where none does or none is known yet. */
export function pickPart(states: SharedPartStates): number {
  const count = Atomics.load(states, places.partCount) || maxPartitions
  const parts = Array.from({ length: count }, (_, index) => index)
  const good = parts.filter((index) => takesProfiles(states, index))
  const choice = good.length === 0 ? parts : good
  return choice[Math.floor(Math.random() * choice.length)] ?? 0
}
