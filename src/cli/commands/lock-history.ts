// `fanlight lock history`: when the application was closed, by whom, why, and how many requests were turned away.

import type { Command } from 'commander'
import { readLockFacts } from '../../plugins/maintenance/read-lock-facts.ts'
import type { PeriodFacts } from '../../profiler/lock-facts.ts'
import type { Cli } from '../cli.ts'
import { withJson } from '../command.ts'
import { durationText } from '../duration.ts'
import { tableLines, type Column } from '../table.ts'
import { closesText, shortTime } from './lock-plan.ts'

/** Adds it to the command `lock`. */
export function registerLockHistory(lock: Command, cli: Cli): void {
  withJson(lock.command('history'))
    .description('list when the application was closed, by whom and why')
    .action((options: { readonly json?: true }) => showHistory(cli, options))
}

async function showHistory(cli: Cli, options: { readonly json?: true }): Promise<void> {
  const { history } = await cli.withEngine(({ lock }) => readLockFacts(lock, cli.context().lock))
  if (options.json === true) return cli.terminal.json({ history })
  if (history.length === 0) return cli.terminal.lines(['The application was never closed.'])
  cli.terminal.lines(tableLines(cli.terminal, columns, history))
}

const columns: readonly Column<PeriodFacts>[] = [
  { title: 'from', cell: ({ from }) => shortTime(Date.parse(from)) },
  { title: 'lasted', cell: ({ durationMs }) => durationText(durationMs / 1000), align: 'right' },
  {
    title: 'ended',
    cell: ({ to, openedBy, isPlanned }) =>
      to === null ? 'still closed' : openedBy !== '' ? `by ${openedBy}` : isPlanned ? 'as planned' : '',
    tone: ({ to }) => (to === null ? 'bad' : undefined),
    isFlexible: true,
  },
  { title: 'turned away', cell: ({ turnedAway }) => (turnedAway === null ? '' : String(turnedAway)), align: 'right' },
  { title: 'by', cell: ({ closedBy }) => closedBy, isFlexible: true },
  { title: 'closed', cell: (period) => closesText(period), isFlexible: true },
  { title: 'reason', cell: ({ reason }) => reason, isFlexible: true },
]
