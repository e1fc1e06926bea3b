// What the panel *Configuration* tells of an application.

import { hostname } from 'node:os'
import { performance } from '../framework/timing/builtins.ts'
import { packageVersion } from '../framework/config/own-package.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import type { Engine } from '../stores/engine.ts'
import type { ConfigData } from './collectors/config.ts'
import type { ProfilerHost } from './profiler-options.ts'
import { readlinkSync } from 'node:fs'

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
    store: engine.name,
    storeProblem: problem,
    timeZone: systemTimeZone(process.env),
    locale: systemLocale(),
    host: hostname(),
    processId: process.pid,
    startedAt: Math.round(performance.timeOrigin),
  }
}

/** Language tag of the system: `en-US`. */
export function systemLocale(): string {
  return new Intl.PluralRules().resolvedOptions().locale
}

/** Time zone by its name: `Europe/Berlin`, `UTC`. `link` points to the zone of the system. */
export function systemTimeZone(env: Readonly<Record<string, string | undefined>>, link = '/etc/localtime'): string {
  const name = env['TZ'] === undefined ? linkedZone(link) : env['TZ']
  if (/^(?:Etc\/)?UTC$/.test(name)) return 'UTC'
  return /^[A-Z][A-Za-z]+(?:\/[A-Z][\w+-]+)+$/.test(name) ? name : new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** `/usr/share/zoneinfo/Europe/Berlin` → `Europe/Berlin`; empty if unknown. */
function linkedZone(link: string): string {
  try {
    return readlinkSync(link).split('/zoneinfo/')[1] ?? ''
  } catch {
    return ''
  }
}
