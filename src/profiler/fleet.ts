// The port by which processes that share a store agree on how many profiles each of them may keep. An engine that many
// machines share gives one; the others have none, and then each process keeps its own pace.

/** How often a process reports, in milliseconds: below a second, so that it takes part in every second of the store's clock. */
export const fleetReportMs = 800

/** The processes that share a store. */
export interface Fleet {
  /**
   * Reports what this process would keep and learns its share of the budget, which counts until the next report. Rejects while the
   * store cannot be reached; the caller then goes on with the share that it has.
   */
  exchange(report: FleetReport): Promise<FleetShare>
}

export interface FleetReport {
  /** Profiles that all processes together may keep in a second; above 0. */
  readonly budget: number
  /** Profiles that this process would keep in a second if nothing held it back; a whole number. */
  readonly demand: number
  /** How many errors of each family were kept since the last report that was accepted; 0 for one that is only asked about. 100 families at most. */
  readonly errors: ReadonlyMap<string, number>
}

export interface FleetShare {
  /** Profiles that this process may keep in a second. The shares of all processes add up to the budget at most. */
  readonly perSecond: number
  /** Processes that share the budget, this one included; at least 1. */
  readonly processes: number
  /** For the reported families: how many errors all processes together kept in the current minute. */
  readonly errors: ReadonlyMap<string, number>
}
