// Makes a profiler on a memory store, for tests that need no socket.

import { openEngine } from '../../src/app/open-engine.ts'
import type { Engine } from '../../src/stores/engine.ts'
import type { Collector } from '../../src/observe/collector.ts'
import { ProfileWriter } from '../../src/profiles/profile-writer.ts'
import { assemblerOf } from '../../src/profiles/assemble-profile.ts'
import type { BuiltInCollector } from '../../src/observe/request-record.ts'
import { Profiler } from '../../src/profiles/profiler.ts'
import { Recorder } from '../../src/profiles/recorder.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { LineList } from './exchange.ts'
import { keepsOld } from './profiles.ts'

/** What differs from a profiler without collectors. */
export interface TestProfilerOptions {
  readonly collectors?: readonly Collector[]
  readonly builtIn?: readonly BuiltInCollector[]
  readonly openBudgetMs?: number
}

/** A profiler, and the engine behind it. */
export interface TestProfiler {
  readonly profiler: Profiler
  readonly engine: Engine
}

/** Makes it. */
export async function testProfiler(options: TestProfilerOptions = {}): Promise<TestProfiler> {
  const { collectors = [], builtIn = [], openBudgetMs } = options
  const engine = await openEngine('memory:', keepsOld)
  const redactor = new Redactor()
  const log = new LineList()
  const plan = { collectors, redactor, ...assemblerOf(builtIn, { redactor }) }
  const profiler = new Profiler({
    recorder: new Recorder({ redactor, sink: log }),
    plan,
    writer: new ProfileWriter({ store: engine.profiles, assembly: plan, log }),
    store: engine.profiles,
    profilerPath: '/_profiler',
    ...(openBudgetMs === undefined ? {} : { openBudgetMs }),
  })
  return { profiler, engine }
}
