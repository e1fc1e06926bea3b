// Versions and environment of the application: an allow-list, never an environment variable that may hold a secret.

import type { BuiltInCollector } from '../request-record.ts'
import { summaryName } from '../profile.ts'

/** Facts of the running application; the same for every request of a process. */
export interface ConfigData {
  /** Version of the application (`APP_VERSION`), what OpenTelemetry calls `service.version`; `null` where none is named. */
  readonly version: string | null
  /** Name of the application (`APP_SERVICE`), what OpenTelemetry calls `service.name`; `null` if it has none. */
  readonly service: string | null
  readonly fanlight: string
  readonly node: string
  readonly v8: string
  readonly platform: string
  readonly environment: string
  readonly debug: boolean
  /** `null` if there is none. */
  readonly lock: number | null
  readonly store: string
  /** Why the configured store is not in use; `null` if it is. */
  readonly storeProblem: string | null
  readonly timeZone: string
  readonly locale: string
  /** Name of the machine, or of the container. */
  readonly host: string
  readonly processId: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** The same for every request. */
export function configCollector(facts: ConfigData): BuiltInCollector<ConfigData> {
  return {
    name: 'config',
    collect: () => facts,
    summarize: ({ version, service }) => ({ version: summaryName(version), service: summaryName(service) }),
  }
}
