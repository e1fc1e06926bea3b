// How a budget is shared: processes report what they want second by second, grouped by size, and each reckons its own share from
// the same groups. Who wants little gets all of it; the others get the same, as much as is left.

/** Processes that want about the same, as one second of a store counts them. */
export interface DemandClass {
  readonly processes: number
  /** What they want together, in profiles a second. */
  readonly demand: number
}

/** How many classes there are. */
const classes = 64
/** Demands of one class differ by a factor of 2 ** (1 / perDoubling) at most. */
const perDoubling = 4
/** Part of the budget that is shared. The rest is for bursts, and for seconds in which demand moves from one process to another. */
const sharedPart = 0.97
/** Part of an even share that a process may have in any case: one that has not reported yet must not be silent. */
const leastPart = 0.02
/** Part of the budget that a process may have whose report is in no second yet, so that many may start together. */
const newcomersPart = 0.1

/** The class of a demand: 0 for none, then up to 63. */
export function demandClass(demand: number): number {
  return demand < 1 ? 0 : Math.min(classes - 1, 1 + Math.floor(perDoubling * Math.log2(demand)))
}

/**
 * Profiles a second that a process may keep. `reported` are the classes of one second and `own` is what the process itself reported for
 * it, `null` if it did not. The shares of those that reported add up to the budget at most.
 */
export function shareOf(budget: number, reported: readonly DemandClass[], own: number | null): number {
  const processes = processesOf(reported)
  const { level, spare } = fill(budget * sharedPart, reported)
  const each = spare / Math.max(1, processes)
  const least = (budget * leastPart) / Math.max(1, processes)
  if (own === null) return Math.max(least, Math.min(spare / (processes + 1), budget * newcomersPart))
  return Math.max(least, Math.min(own, level) + each)
}

/** What a process may keep before the store has said anything, in profiles a second. */
export function firstShare(budget: number): number {
  return budget * newcomersPart
}

export function processesOf(reported: readonly DemandClass[]): number {
  return reported.reduce((sum, { processes }) => sum + processes, 0)
}

/** How much each may take so that all of it goes, and what is left if that is more than all want. */
function fill(room: number, reported: readonly DemandClass[]): { readonly level: number; readonly spare: number } {
  const byMean = reported
    .filter(({ processes }) => processes > 0)
    .toSorted((one, other) => one.demand / one.processes - other.demand / other.processes)
  let left = room
  let sharing = processesOf(byMean)
  for (const { processes, demand } of byMean) {
    // In one class some want more than the mean: none of them gets more than this.
    if (demand / processes > left / sharing) return { level: left / sharing, spare: 0 }
    left -= demand
    sharing -= processes
  }
  return { level: Infinity, spare: left }
}
