// Decides which collectors an application has and where each of them gathers: the built-in ones in the thread of the store
// where they can, those of the application in the main thread.

import type { FactsAssemblyOptions } from '../profiler/assemble-from-facts.ts'
import type { Collector } from '../profiler/collector.ts'
import { createRecordCollectors } from '../profiler/collectors/built-in.ts'
import type { ConfigData } from '../profiler/collectors/config.ts'
import { momentsOf } from '../profiler/collectors/events.ts'
import type { RouterExplainer } from '../profiler/collectors/router.ts'
import { AssemblyPlan } from '../profiler/assembly-plan.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { ResolvedOptions } from './options.ts'

/** What the thread of the store imports. Sources run unbuilt as `.ts`, the package as `.js`. */
const assemblerUrl = new URL(
  `./profile-assembler${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
)

/** What the plan is made from. */
export interface AssemblyPlanInput {
  readonly options: Pick<ResolvedOptions, 'collectors' | 'listeners' | 'redact'>
  readonly redactor: Redactor
  readonly explainer: RouterExplainer
  readonly config: ConfigData
  /** Requests at least this long are slow, in milliseconds; `null`: none is. */
  readonly slowMs: number | null
  /** Absolute. */
  readonly projectRoot: string
}

/** Makes the plan. A collector of the application takes the place of no built-in one: the profiler refuses doubled names. */
export function createAssemblyPlan({
  options,
  redactor,
  explainer,
  config,
  slowMs,
  projectRoot,
}: AssemblyPlanInput): AssemblyPlan {
  const facts = { config, listeners: options.listeners.map(momentsOf), projectRoot }
  const builtIn = createRecordCollectors(redactor, facts, explainer)
  const collectors: readonly Collector[] = [...builtIn, ...options.collectors]
  const order = collectors.map(({ name }) => name)
  const elsewhere: FactsAssemblyOptions = { ...facts, rules: options.redact, slowMs, order }
  return new AssemblyPlan({
    collectors,
    recordCollectors: new Map(builtIn.map((collector) => [collector.name, collector])),
    assembly: { module: assemblerUrl.href, options: elsewhere },
    redactor,
    slowMs,
  })
}
