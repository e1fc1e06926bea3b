// `fanlight profiles groups`: how often, how long and how well, by route, family of the error or version of the application.

import { formatDuration } from '../../framework/html/components.ts'
import { groupings, type GroupBy, type ProfileGroup } from '../../profiler/profile-store.ts'
import {
  countedName,
  countedProfiles,
  groupOrders,
  inOrder,
  meanText,
  scopeSentence,
} from '../../profiler/query/groups.ts'
import { isoTime } from '../../profiler/query/profile-facts.ts'
import type { Cli } from '../cli.ts'
import { oneOf } from '../command.ts'
import { tableLines, type Column } from '../terminal.ts'
import { toFilter, type ProfileFilterOptions } from './profile-filters.ts'

export interface ProfileGroupOptions extends ProfileFilterOptions {
  readonly by?: string
  readonly sort?: string
  readonly json?: true
}

/** Prints the groups, the greatest first. Throws a usage error for what cannot be read. */
export async function groupProfiles(cli: Cli, options: ProfileGroupOptions): Promise<void> {
  const by = oneOf('--by', options.by ?? 'route', groupings)
  const order = oneOf('--sort', options.sort ?? 'count', groupOrders)
  const filter = countedProfiles(toFilter(options), by)
  const found = await cli.withEngine((engine) => engine.profiles.group(filter, by))
  cli.noteMissing(found.missing)
  const groups = { ...found, groups: inOrder(found.groups, order) }
  if (options.json === true) return cli.terminal.json(groups)
  if (groups.groups.length === 0) return cli.terminal.lines(['No profiles match.'])
  const lines = tableLines(cli.terminal, columnsOf(by), groups.groups)
  cli.terminal.lines([...lines, cli.terminal.tone('quiet', scopeSentence(groups, countedName(filter)))])
}

function columnsOf(by: GroupBy): readonly Column<ProfileGroup>[] {
  const time = (title: string, read: (group: ProfileGroup) => number | null): Column<ProfileGroup> => ({
    title,
    cell: (group) => textOf(read(group), formatDuration),
    align: 'right',
  })
  return [
    { title: by, cell: ({ key }) => key ?? `no ${by}`, tone: () => 'strong', isFlexible: true, mostFilled: 60 },
    { title: 'count', cell: ({ count }) => String(count), align: 'right' },
    {
      title: 'errors',
      cell: ({ errorCount }) => String(errorCount),
      align: 'right',
      tone: ({ errorCount }) => (errorCount > 0 ? 'bad' : undefined),
    },
    time('p50', ({ p50Ms }) => p50Ms),
    time('p95', ({ p95Ms }) => p95Ms),
    time('p99', ({ p99Ms }) => p99Ms),
    time('longest', ({ maxMs }) => maxMs),
    time('own code', ({ ownCpuP50Ms }) => ownCpuP50Ms),
    { title: 'queries', cell: ({ meanQueries }) => textOf(meanQueries, meanText), align: 'right' },
    { title: 'first (UTC)', cell: ({ firstTime }) => isoTime(firstTime).slice(0, 19).replace('T', ' ') },
    { title: 'last', cell: ({ lastToken }) => lastToken },
    ...(by === 'error' ? [messageColumn] : []),
  ]
}

const messageColumn: Column<ProfileGroup> = {
  title: 'message',
  cell: ({ lastMessage }) => (lastMessage ?? '').replaceAll('\n', ' '),
  isFlexible: true,
}

/** What is not known is a dash. */
function textOf(value: number | null, show: (value: number) => string): string {
  return value === null ? '–' : show(value)
}
