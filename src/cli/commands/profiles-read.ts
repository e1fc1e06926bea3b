// `fanlight profiles list` and `show`: filters become a query to the store, its result a table; or one profile, or the data of one
// collector. The options of filters are shared with `tail` and the questions.

import type { Command } from 'commander'
import { filterNames, filters, readFilter, type FilterName, type ProfileFilter } from '../../profiles/query/filters.ts'
import { CliError, exitCodes, oneOf, wholeNumber } from '../command.ts'
import { visibleLine } from '../../base/markdown-text.ts'
import type { ProfileSummary, Profile } from '../../observe/profile.ts'
import { profileOrders, NotedReads } from '../../profiles/profile-store.ts'
import { listedFilter, readNamedProfile } from '../../profiles/query/named-profile.ts'
import {
  matchedText,
  maxMatched,
  searchSentence,
  statusMark,
  subjectOf,
  factsOf,
} from '../../profiles/profile-facts.ts'
import type { Cli } from '../cli.ts'
import { tableLines, type Column, type Tone } from '../terminal.ts'
import type { Engine } from '../../stores/engine.ts'
import { withLaterData } from '../../profiles/later-data.ts'
import { facts } from '../../observe/blocks/blocks.ts'
import { printBlocks } from '../terminal-blocks.ts'

/** By the names that commander gives options: `minDuration`. */
export type ProfileFilterOptions = Readonly<Record<string, string | true | undefined>>

export function withFilters(command: Command): Command {
  for (const name of filterNames) {
    const { asked, help } = filters[name]
    command.option(asked === undefined ? `${optionOf(name)} <value>` : optionOf(name), asked?.[1] ?? help)
  }
  return command
}

/** The filter. Throws a usage error for a value that cannot be used. */
export function toFilter(typed: ProfileFilterOptions): ProfileFilter {
  return readFilter((name) => {
    const value = typedOption(typed, optionOf(name).slice(2))
    return value === true ? filters[name].asked?.[0] : value
  }, refuse)
}

/** What was typed for `--min-duration`, by `min-duration`. */
export function typedOption(typed: ProfileFilterOptions, name: string): string | true | undefined {
  return typed[name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
}

/** The filter of one option. Throws a usage error for a value that cannot be used. */
export function readOption(option: string, name: FilterName, value: string): ProfileFilter {
  const read = filters[name].read(value)
  if ('problem' in read) throw usage(option, read.problem)
  return read.filter
}

function optionOf(name: FilterName): string {
  return `--${filters[name].option ?? name}`
}

function refuse(name: FilterName, problem: string): never {
  throw usage(optionOf(name), problem)
}

function usage(option: string, problem: string): CliError {
  return new CliError(`${option}: ${problem}`, exitCodes.usage)
}

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

export interface ProfileShowOptions {
  readonly panel?: string
  readonly json?: true
}

/** Prints a profile. Throws a CliError (3) for a token or a panel that is not there. */
export async function showProfile(cli: Cli, engine: Engine, token: string, options: ProfileShowOptions): Promise<void> {
  const profile = await findProfile(cli, engine, token)
  if (options.panel !== undefined) return cli.terminal.json(panelData(profile, options.panel))
  if (options.json === true) return cli.terminal.json(profile)
  const panels = { recorded: panelNames(profile) }
  printBlocks(cli.terminal, [
    facts('Profile', [['Token', { code: profile.token }], ...factsOf(profile), ['Panels', panels]]),
  ])
}

function panelData(profile: Profile, panel: string): unknown {
  if (Object.hasOwn(profile.data, panel)) return profile.data[panel]
  const names = panelNames(profile)
  throw new CliError(`profile ${profile.token} has no panel ${panel.slice(0, 40)}; Use ${names}`, exitCodes.notFound)
}

function panelNames(profile: Profile): string {
  return Object.keys(profile.data).sort().join(', ') || 'none'
}

/** By its token, or the newest for `latest`. Throws a CliError (3) if there is none. */
export async function findProfile(cli: Cli, engine: Engine, token: string): Promise<Profile> {
  const profiles = new NotedReads(engine.profiles)
  const profile = await readNamedProfile(profiles, token)
  cli.noteMissing(profiles.missing)
  if (profile !== undefined) return withLaterData(profiles, profile)
  const none = profiles.missing === undefined ? 'there is no profile yet' : 'there is no profile within reach'
  const problem = token === 'latest' ? none : `there is no profile ${token.slice(0, 40)}`
  throw new CliError(`${problem} in ${engine.name}`, exitCodes.notFound)
}
