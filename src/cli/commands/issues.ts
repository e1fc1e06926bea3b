// `fanlight issues`: errors over the versions of the application, with a state each.

import type { Command } from 'commander'
import type { Issue, IssueState } from '../../profiler/issues/issues.ts'
import { issuesScope, stateReason, issueStates, readIssues } from '../../profiler/issues/issues.ts'
import { isoTime } from '../../profiler/query/profile-facts.ts'
import type { Cli } from '../cli.ts'
import { oneOf, withJson } from '../command.ts'
import { tableLines, type Column, type Tone } from '../terminal.ts'
import { toFilter, withFilters, type ProfileFilterOptions } from './profile-filters.ts'

interface IssuesOptions extends ProfileFilterOptions {
  readonly state?: string
  readonly json?: true
}

export function registerIssues(program: Command, cli: Cli): void {
  withFilters(
    withJson(program.command('issues')).description(
      'list errors as open, fixed or regressed, by the versions of the application',
    ),
  )
    .option('--state <state>', `only ${issueStates.join(', ')} (default: all)`)
    .action((options: IssuesOptions) => listIssues(cli, options))
}

/** Prints the issues, regressed ones first. Throws a usage error for what cannot be read. */
async function listIssues(cli: Cli, options: IssuesOptions): Promise<void> {
  const state = options.state === undefined ? undefined : oneOf('--state', options.state, issueStates)
  const filter = toFilter(options)
  const found = await cli.withEngine(async ({ profiles }) => readIssues(profiles, { filter, state }))
  cli.noteMissing(found.missing)
  if (options.json === true) return cli.terminal.json(found)
  if (found.issues.length === 0) return cli.terminal.lines(['No issue matches.'])
  const lines = tableLines(cli.terminal, columnsOf(found.issues), found.issues)
  cli.terminal.lines([...lines, cli.terminal.tone('quiet', issuesScope(found))])
}

const tones: Readonly<Record<IssueState, Tone>> = { regressed: 'bad', open: 'warning', fixed: 'good' }

const columns: readonly Column<Issue>[] = [
  { title: 'state', cell: ({ state }) => state, tone: ({ state }) => tones[state] },
  { title: 'count', cell: ({ count }) => String(count), align: 'right' },
  { title: 'issue', cell: ({ name }) => name, tone: () => 'strong', isFlexible: true, mostFilled: 60 },
  { title: 'first (UTC)', cell: ({ firstTime }) => timeText(firstTime) },
  { title: 'in', cell: ({ firstVersion }) => firstVersion ?? '–' },
  { title: 'last (UTC)', cell: ({ lastTime }) => timeText(lastTime) },
  { title: 'in', cell: ({ lastVersion }) => lastVersion ?? '–' },
  { title: 'profile', cell: ({ lastToken }) => lastToken },
  {
    title: 'message',
    cell: ({ lastMessage }) => (lastMessage ?? '').replaceAll('\n', ' '),
    isFlexible: true,
    mostFilled: 60,
  },
  { title: 'since', cell: (issue) => stateReason(issue) ?? '', isFlexible: true },
]

const serviceColumn: Column<Issue> = { title: 'service', cell: ({ service }) => service ?? '–' }

/** The service if there are several. */
function columnsOf(issues: readonly Issue[]): readonly Column<Issue>[] {
  const services = new Set(issues.map(({ service }) => service))
  return services.size > 1 ? [...columns, serviceColumn] : columns
}

function timeText(time: number): string {
  return isoTime(time).slice(0, 19).replace('T', ' ')
}
