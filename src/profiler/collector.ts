// What gathers one kind of facts for the profile. Its panel, in the mirrored file of web-profiler/panels, draws them.

import type { Exchange } from '../kernel/exchange.ts'

/** Gathers facts of a finished request. `Data` is plain JSON; a throw becomes a note in the profile. */
export interface Collector<Data = unknown> {
  /** Joins collector and panel, and is the `panel` of the address: `exception`. Lower-case letters, digits and dashes. */
  readonly name: string
  /** `undefined` leaves the collector out of this profile: the panel says that nothing of the kind happened. */
  collect(exchange: Exchange): Data | undefined
}
