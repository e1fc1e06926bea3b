// Decides which collectors an application has and where each of them gathers: the built-in ones in the thread of the store
// where they can, those of the application in the main thread.

import type { FactsAssemblyOptions } from './assemble-from-facts.ts'
import type { Collector } from './collector.ts'
import { createRecordCollectors } from './collectors/built-in.ts'
import type { ConfigData } from './collectors/config.ts'
import { momentsOf } from './collectors/events.ts'
import type { RouterExplainer } from './collectors/router.ts'
import { AssemblyPlan } from './assembly-plan.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import type { Redactor } from '../framework/redact/redactor.ts'

/** What the thread of the store imports. Sources run unbuilt as `.ts`, the package as `.js`. */
const assemblerUrl = new URL(
  `./profile-assembler${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
)

/** What the plan is made from. */
export interface AssemblyPlanInput {
  /** The application's own. */
  readonly collectors: readonly Collector[]
  /** Those whose silence is worth a line: the application's own. */
  readonly listeners: readonly Listener[]
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
  collectors: own,
  listeners,
  redactor,
  explainer,
  config,
  slowMs,
  projectRoot,
}: AssemblyPlanInput): AssemblyPlan {
  const facts = { config, listeners: listeners.map(momentsOf), projectRoot }
  const builtIn = createRecordCollectors(redactor, facts, explainer)
  const collectors: readonly Collector[] = [...builtIn, ...own]
  const order = collectors.map(({ name }) => name)
  const elsewhere: FactsAssemblyOptions = { ...facts, rules: redactor.added, slowMs, order }
  return new AssemblyPlan({
    collectors,
    recordCollectors: new Map(builtIn.map((collector) => [collector.name, collector])),
    assembly: { module: assemblerUrl.href, options: elsewhere },
    redactor,
    slowMs,
  })
}
