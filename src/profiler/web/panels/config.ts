// Draws what the request was served by.

import { emptyState, formatTime, keyValueTable } from '../../../framework/html/components.ts'
import type { ConfigData } from '../../collectors/config.ts'
import type { Panel } from '../panel.ts'

/** Versions, environment, store. Of a program that was run less is known; what is not there has no row. */
export const configPanel: Panel<Partial<ConfigData>> = {
  name: 'config',
  title: 'Configuration',
  render: (data) => {
    if (data === undefined) return emptyState('The configuration was not recorded.')
    return keyValueTable(factRows(data), { caption: 'Configuration' })
  },
}

function factRows(data: Partial<ConfigData>): readonly (readonly [string, string])[] {
  const { debug, startedAt } = data
  const rows: readonly (readonly [string, string | number | null | undefined])[] = [
    ['Service', data.service],
    ['Version of the application', data.version],
    ['Fanlight', data.fanlight],
    ['Node', data.node],
    ['V8', data.v8],
    ['Platform', data.platform],
    ['Environment', data.environment],
    ['Debug', debug === undefined ? null : debug ? 'on' : 'off'],
    ['Lock at boot', data.lock],
    ['Store', data.store],
    ['Store problem', data.storeProblem],
    ['Time zone', data.timeZone],
    ['Locale', data.locale],
    ['Machine', data.host],
    ['Process', data.processId],
    ['Running since', startedAt === undefined ? null : `${formatTime(startedAt)} UTC`],
  ]
  return rows.flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as const],
  )
}
