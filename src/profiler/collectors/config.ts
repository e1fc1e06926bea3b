// What the request was served by: versions, environment, limits. Names and values of an allow-list only: never an environment
// variable that could hold a secret.

import type { RecordCollector } from '../request-record.ts'
import { summaryVersion } from '../summarize.ts'

/** Facts of the running application; the same for every request of a process. */
export interface ConfigData {
  /** Version of the application (`APP_VERSION`), what OpenTelemetry calls `service.version`; `null` where none is named. */
  readonly version: string | null
  readonly fanlight: string
  readonly node: string
  readonly v8: string
  readonly platform: string
  readonly environment: string
  readonly debug: boolean
  readonly lock: number
  readonly currency: string
  readonly store: string
  /** Why the store is not the one asked for; `null` when it is. */
  readonly storeProblem: string | null
  readonly timeZone: string
  readonly locale: string
  readonly processId: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Bounds that hold for every profile, for people. */
  readonly limits: readonly (readonly [name: string, value: string])[]
}

/** Hands out the same facts for every request. */
export function configCollector(facts: ConfigData): RecordCollector<ConfigData> {
  return {
    name: 'config',
    reads: [],
    isConstant: true,
    collect: () => facts,
    summarize: ({ version }) => ({ version: summaryVersion(version) }),
  }
}
