// What the panel *Configuration* tells of an application.

import { hostname } from 'node:os'
import { performance } from '../framework/timing/builtins.ts'
import { packageVersion } from '../framework/config/own-package.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { systemLocale, systemTimeZone } from '../framework/config/system-locale.ts'
import type { Engine } from '../stores/engine.ts'
import type { ConfigData } from './collectors/config.ts'
import type { ProfilerHost } from './profiler-options.ts'

export function configFacts(
  context: RuntimeContext,
  engine: Engine,
  problem: string | null,
  { hasOwnParts }: ProfilerHost,
): ConfigData {
  return {
    version: context.version,
    service: context.service,
    fanlight: packageVersion(),
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
    environment: context.env,
    debug: context.debug,
    lock: hasOwnParts ? context.lock : null,
    currency: hasOwnParts ? context.currency : null,
    store: engine.name,
    storeProblem: problem,
    timeZone: systemTimeZone(process.env),
    locale: systemLocale(),
    host: hostname(),
    processId: process.pid,
    startedAt: Math.round(performance.timeOrigin),
  }
}
