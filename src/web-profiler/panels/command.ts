// Draws what was run from the command line.

import { emptyState, keyValueTable } from '../../html/components.ts'
import { html } from '../../html/html.ts'
import { cutText } from '../../pages/page-budget.ts'
import type { CommandData } from '../../profiler/collectors/command.ts'
import type { Panel } from '../panel.ts'

/** Name, arguments, exit code. */
export const commandPanel: Panel<CommandData> = {
  name: 'command',
  title: 'Command',
  of: 'commands',
  badge: ({ exitCode }) => (exitCode === null || exitCode === 0 ? undefined : { count: exitCode, tone: 'error' }),
  render: (data) => {
    if (data === undefined) return emptyState('This is the profile of a request, not of a command.')
    const { name, args, exitCode } = data
    return keyValueTable([
      ['Command', html`<code>${name}</code>`],
      ['Arguments', args.length === 0 ? 'none' : html`<code>${cutText(args.join(' '), 10_000)}</code>`],
      ['Exit code', exitCode === null ? 'still running' : exitCode],
    ])
  },
}
