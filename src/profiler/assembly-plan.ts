// What the profiles of an application are made with: its collectors, sorted once by where each of them gathers.

import { defaultSlowMs } from '../framework/recording/outcome.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { ProfileAssembly } from './assembling-store.ts'
import type { Collector } from './collector.ts'
import type { RecordCollector } from './request-record.ts'

/** What profiles are made with. */
export interface AssemblyPlanParts {
  /** All of them, in the order of a profile. */
  readonly collectors: readonly Collector[]
  /** Those that are content with the record, by name. Default: none. */
  readonly recordCollectors?: ReadonlyMap<string, RecordCollector>
  /** What assembles in another thread. Default: nothing does. */
  readonly assembly?: ProfileAssembly
  readonly redactor: Redactor
  /** Requests at least this long are slow, in milliseconds; `null`: none is. Default 500. */
  readonly slowMs?: number | null
}

/** The same, sorted once by where each collector gathers. */
export class AssemblyPlan {
  readonly collectors: readonly Collector[]
  readonly assembly: ProfileAssembly | undefined
  readonly redactor: Redactor
  readonly slowMs: number | null
  /** Those that need the exchange itself. */
  readonly ownCollectors: readonly Collector[]
  /** Those that are content with the record, in the order of a profile. */
  readonly recordCollectors: readonly RecordCollector[]
  /** Those of them that are asked, for each request, whether they have to gather in the main thread. */
  readonly sometimesHere: readonly RecordCollector[]
  /** What those read that can gather in another thread: the names under which it is kept. */
  readonly reads: readonly string[]

  constructor(parts: AssemblyPlanParts) {
    const { collectors, recordCollectors = new Map(), assembly, redactor, slowMs = defaultSlowMs } = parts
    this.collectors = collectors
    this.assembly = assembly
    this.redactor = redactor
    this.slowMs = slowMs
    this.ownCollectors = collectors.filter(({ name }) => !recordCollectors.has(name))
    this.recordCollectors = collectors.flatMap(({ name }) => recordCollectors.get(name) ?? [])
    this.sometimesHere = this.recordCollectors.filter(
      ({ reads, staysHere }) => reads === undefined || staysHere !== undefined,
    )
    this.reads = namesRead(this.recordCollectors)
  }
}

/** The names under which is kept what the collectors read, each once. */
export function namesRead(collectors: readonly RecordCollector[]): readonly string[] {
  return [...new Set(collectors.flatMap(({ reads = [] }) => reads))]
}
