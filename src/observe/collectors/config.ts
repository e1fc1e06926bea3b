// Versions and environment of the application: an allow-list, never an environment variable that may hold a secret.

import { type Fact, facts } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { summaryName } from '../profile.ts'
import type { Settings } from '../../http/config/variables.ts'

/** Facts of the running application; the same for every request of a process. */
export interface ConfigData extends Pick<Settings, 'version' | 'service' | 'debug' | 'store'> {
  readonly fanlight: string
  readonly node: string
  readonly v8: string
  readonly platform: string
  readonly environment: string
  /** `null` if there is none. */
  readonly lock: number | null
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

/** Of a program that was run less is known; what is not there has no row. */
export const configPart: DescribedPart<Partial<ConfigData>> = {
  name: 'config',
  title: 'Configuration',
  empty: 'The configuration was not recorded.',
  draw: (data) => [facts('Configuration', factRows(data))],
}

function factRows(data: Partial<ConfigData>): readonly Fact[] {
  const { debug, startedAt } = data
  const rows: readonly (readonly [string, string | number | null | undefined])[] = [
    ['Service', data.service],
    ['Version of the application', data.version],
    ['Environment', debug === true ? `${data.environment}, debug` : data.environment],
    ['Node', data.node],
    ['Fanlight', data.fanlight],
    ['Platform', data.platform],
    ['Lock at boot', data.lock],
    ['Store', data.store],
    ['Store problem', data.storeProblem],
    ['Time zone', data.timeZone],
    ['Locale', data.locale],
    ['Machine', data.host],
    ['Process', data.processId],
  ]
  const known = rows.flatMap(([name, value]): readonly Fact[] =>
    value === undefined || value === null ? [] : [[name, { recorded: String(value) }]],
  )
  return startedAt === undefined ? known : [...known, ['Running since', { time: startedAt }]]
}
