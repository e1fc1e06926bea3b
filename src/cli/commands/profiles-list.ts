// `fanlight profiles list`: filters become a query to the store, its result a table.

import { visibleLine } from '../../base/markdown-text.ts'
import type { ProfileSummary } from '../../observe/profile.ts'
import { profileOrders } from '../../profiles/profile-store.ts'
import { NotedReads } from '../../profiles/query/missing-parts.ts'
import { listedFilter } from '../../profiles/query/named-profile.ts'
import { matchedText, maxMatched, searchSentence, statusMark, subjectOf } from '../../profiles/profile-facts.ts'
import type { Cli } from '../cli.ts'
import { oneOf, wholeNumber } from '../command.ts'
import { tableLines, type Column, type Tone } from '../terminal.ts'
import { toFilter, type ProfileFilterOptions } from './profile-filters.ts'

export interface ProfileListOptions extends ProfileFilterOptions {
  readonly limit?: string
  readonly after?: string
  readonly sort?: string
  readonly json?: true
}

/** Prints one page of profiles. Throws a usage error for a filter that cannot be read. */
export async function listProfiles(cli: Cli, options: ProfileListOptions): Promise<void> {
  const limit = options.limit === undefined ? 25 : wholeNumber('--limit', options.limit, 1, 200)
  const after = options.after === undefined ? {} : { after: options.after }
  const given = toFilter(options)
  const filter = listedFilter(given)
  const order = oneOf('--sort', options.sort ?? 'newest', profileOrders)
  const isNarrowed = filter === given
  const asked = { limit, order, ...after, ...(isNarrowed && { countUpTo: maxMatched }) }
  const { page, missing } = await cli.withEngine(async (engine) => {
    const profiles = new NotedReads(engine.profiles)
    return { page: await profiles.find(filter, asked), missing: profiles.missing }
  })
  cli.noteMissing(missing)
  if (options.json === true) return cli.terminal.json({ ...page, missing })
  const cut =
    page.searchedNewest === undefined ? [] : [cli.terminal.tone('quiet', searchSentence(page.searchedNewest, order))]
  const matched = [
    cli.terminal.tone(
      'quiet',
      isNarrowed ? `${matchedText(page)}.` : 'Requests only; with commands, jobs and tasks: --type all',
    ),
  ]
  if (page.items.length === 0)
    return cli.terminal.lines([nothingFound(options.after), ...(isNarrowed ? [] : matched), ...cut])
  const next = order === 'newest' ? 'Older ones' : 'The next ones'
  const more = page.next === null ? [] : [cli.terminal.tone('quiet', `${next}: --after ${visibleLine(page.next)}`)]
  cli.terminal.lines([...tableLines(cli.terminal, columnsOf(page.items), page.items), ...matched, ...more, ...cut])
}

/** Services are shown if there are several on the page, tags, versions and replays if one profile has one. */
function columnsOf(profiles: readonly ProfileSummary[]): readonly Column<ProfileSummary>[] {
  const has = (isSet: (profile: ProfileSummary) => boolean, ...column: Column<ProfileSummary>[]): typeof column =>
    profiles.some(isSet) ? column : []
  const service = profiles[0]?.service
  return [
    ...columns,
    ...has(({ tags }) => tags.length > 0, { title: 'tags', cell: ({ tags }) => tags.join(', '), isFlexible: true }),
    ...has(({ replayOf }) => replayOf !== null, { title: 'replay of', cell: ({ replayOf }) => replayOf ?? '' }),
    ...has((profile) => profile.service !== service, {
      title: 'service',
      cell: (profile) => profile.service ?? '',
      isFlexible: true,
    }),
    ...has(({ version }) => version !== null, {
      title: 'version',
      cell: ({ version }) => version ?? '',
      isFlexible: true,
    }),
  ]
}

const columns: readonly Column<ProfileSummary>[] = [
  { title: 'token', cell: ({ token }) => token, tone: () => 'strong' },
  { title: 'time (UTC)', cell: ({ time }) => new Date(time).toISOString().slice(0, 19).replace('T', ' ') },
  { title: 'status', cell: statusMark, align: 'right', tone: statusTone },
  { title: 'ms', cell: ({ durationMs }) => durationMs.toFixed(1), align: 'right' },
  { title: 'method', cell: ({ method }) => method },
  // One long address must not make every line as long.
  { title: 'url', cell: subjectOf, isFlexible: true, mostFilled: 100 },
  { title: 'error', cell: errorText, isFlexible: true, mostFilled: 80 },
  { title: 'findings', cell: ({ findings }) => findings.join(', '), tone: () => 'warning' },
]

function errorText({ errorClass, errorMessage }: ProfileSummary): string {
  if (errorClass === null) return ''
  return errorMessage === null || errorMessage === ''
    ? errorClass
    : `${errorClass}: ${errorMessage.replaceAll('\n', ' ')}`
}

function nothingFound(after: string | undefined): string {
  return after === undefined
    ? 'No profiles match.'
    : `No profile matches that is older than ${visibleLine(JSON.stringify(after.slice(0, 40)))}; a cursor is what a longer list ends with.`
}

export function statusTone({ status }: ProfileSummary): Tone {
  if (status >= 500 || status === 0) return 'bad'
  return status >= 400 ? 'warning' : 'good'
}
