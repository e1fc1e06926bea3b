// What gathers one kind of facts for the profile. Its panel, in the file of the same name in web/panels, draws them.

import { didYouMean } from '../base/options/check-options.ts'
import type { Exchange } from '../http/kernel/exchange.ts'

/** Gathers facts of a finished request. `Data` is plain JSON; a throw becomes a note in the profile. */
export interface Collector<Data = unknown> {
  /**
   * Joins collector and panel, and is the `panel` of the address: `exception`. Lower-case letters, digits and dashes, a
   * letter first; `notes` is taken.
   */
  readonly name: string
  /**
   * `undefined` leaves the collector out of this profile: the panel says that nothing of the kind happened. Must return at
   * once; a promise becomes a note. May be called while the request still runs, when somebody looks at it.
   */
  collect(exchange: Exchange): Data | undefined
  /**
   * Makes data smaller that would fill the profile: about `maxBytes` of JSON, with a mark of what is missing. Called for the
   * largest parts of a profile that is too large; a part that cannot cut itself is left out as a whole.
   */
  cut?(data: Data, maxBytes: number): Data
}

/** Throws a TypeError that names a name that cannot be used, or is there twice. */
export function checkCollectorNames(names: readonly string[]): void {
  const taken = new Set(['notes'])
  for (const name of names) {
    const isTaken = taken.has(name)
    taken.add(name)
    if (!isTaken && /^[a-z][a-z0-9-]*$/.test(name)) continue
    const reason = isTaken ? 'is taken' : 'cannot be used'
    throw new TypeError(
      `The collector name ${JSON.stringify(name)} ${reason}; allowed: lower-case letters, digits and dashes, a letter first, each name once`,
    )
  }
}

/** Throws a TypeError that names a panel which would always be empty. `names`: those of all collectors. */
export function checkPanelNames(panels: readonly string[], names: readonly string[]): void {
  const lonely = panels.find((name) => !names.includes(name))
  if (lonely === undefined) return
  const name = JSON.stringify(lonely)
  throw new TypeError(`The panel ${name} has no collector: name one ${name}, too.${didYouMean(lonely, names)}`)
}
