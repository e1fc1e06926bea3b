// What the thread of profiles tells the main thread of the parts of the store, in memory that both see: how many there are, and
// which of them do not take profiles now.

import { maxPartitions } from './store-format.ts'

export type SharedPartStates = Int32Array<SharedArrayBuffer>

export function makePartStates(): SharedPartStates {
  return new Int32Array(new SharedArrayBuffer(4 * (1 + maxPartitions)))
}

/** The thread's side. */
export function notePartCount(states: SharedPartStates, count: number): void {
  Atomics.store(states, 0, count)
}

/** The thread's side. */
export function notePartState(states: SharedPartStates, index: number, isFailing: boolean): void {
  Atomics.store(states, 1 + index, isFailing ? 1 : 0)
}

export function takesProfiles(states: SharedPartStates, index: number): boolean {
  return Atomics.load(states, 1 + index) === 0
}

/** A part that takes profiles, by chance; any part where none does or none is known yet. */
export function pickPart(states: SharedPartStates): number {
  const count = Atomics.load(states, 0) || maxPartitions
  const parts = Array.from({ length: count }, (_, index) => index)
  const good = parts.filter((index) => takesProfiles(states, index))
  const choice = good.length === 0 ? parts : good
  return choice[Math.floor(Math.random() * choice.length)] ?? 0
}
