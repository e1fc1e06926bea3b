// Draws what the request was served by.

import { emptyState, formatTime, keyValueTable } from '../../html/components.ts'
import { html } from '../../html/html.ts'
import type { ConfigData } from '../../profiler/collectors/config.ts'
import type { Panel } from '../panel.ts'

/** Versions, environment, store, limits. */
export const configPanel: Panel<ConfigData> = {
  name: 'config',
  title: 'Configuration',
  render: (data) => {
    if (data === undefined) return emptyState('Nothing of the configuration was recorded.')
    return html`${keyValueTable(
        [
          ...(typeof data.version === 'string' ? [['Version of the application', data.version] as const] : []),
          ['Fanlight', data.fanlight],
          ['Node', data.node],
          ['V8', data.v8],
          ['Platform', data.platform],
          ['Environment', data.environment],
          ['Debug', data.debug ? 'on' : 'off'],
          ['Lock at boot', String(data.lock)],
          ['Default currency', data.currency],
          ['Store', data.store],
          ...(data.storeProblem === null ? [] : [['Store problem', data.storeProblem] as const]),
          ['Time zone', data.timeZone],
          ['Locale', data.locale],
          ['Process', String(data.processId)],
          ['Running since', `${formatTime(data.startedAt)} UTC`],
        ],
        { caption: 'Configuration' },
      )}
      <h3>Limits</h3>
      ${keyValueTable(data.limits, { caption: 'Limits', empty: 'No limits are set.' })}`
  },
}
