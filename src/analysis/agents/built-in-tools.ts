// The tools that read profiles: one lists what was recorded, profiles, what they have in common or their queries; one shows a profile, why
// it failed and what it did, or one panel in full; one has the application send a recorded request again.

import { toSections, itemsOf, listSection, type Section } from '../../observe/blocks/sections.ts'
import { profileOrders, type ProfileOrder } from '../../profiles/profile-store.ts'
import { filterNames, filters, readFilter, type FilterName, type ProfileFilter } from '../../profiles/query/filters.ts'
import { listedFilter, findLastError, readNamedProfile } from '../../profiles/query/named-profile.ts'
import {
  listedFacts,
  matchedText,
  maxMatched,
  searchSentence,
  factsOf,
  requestLine,
  statusMark,
} from '../../profiles/profile-facts.ts'
import { questions } from '../questions/all.ts'
import { QuestionError, readTexts, type Question, type QuestionSources } from '../../pages/question.ts'
import { maxSqlLength, type ReadDatabase, type ReadOrder } from '../../observe/outgoing/open-databases.ts'
import { type ToolResponse, AgentError, defineTool, invalid, quote, unusable, shown } from './tool.ts'
import type { Parameter, AgentTool, RunningCall, ResponsePart, AgentErrorCode } from './tool.ts'
import { tableOf } from '../../base/members.ts'
import { counted } from '../../base/html/components.ts'
import { didYouMean } from '../../base/options/check-options.ts'
import { facts } from '../../observe/blocks/blocks.ts'
import type { Profile } from '../../observe/profile.ts'
import { errorParts, jsonLines, logPart, outgoingCalls, saidParts } from '../parts.ts'
import { dataOf, notesOf } from '../../profiles/stored-data.ts'
import { fieldOf, helpWith, parameterOf, type ReplayHelp } from '../replay/ask-replay.ts'
import { missingText } from '../../profiles/repeatable-request.ts'
import { type ReplayRefusal, wholeReplay } from '../replay/replay.ts'

const filterParameters = tableOf(filterNames, (name) => ({ type: 'string' as const, description: filters[name].help }))

/** The filter. Throws an AgentError that names the parameter and says what to use. */
export function filterOf(values: Readonly<Partial<Record<FilterName, string | undefined>>>): ProfileFilter {
  return readFilter(
    (name) => {
      const value = values[name]?.trim()
      if (filters[name].use !== 'yes or no') return value
      // Models send `true` for yes.
      return value === 'true' ? 'yes' : value === 'false' ? 'no' : value
    },
    (name, problem) => {
      throw invalid(`\`${name}\`: ${problem}`)
    },
  )
}

/** By what they are called here. */
const listed = new Map(
  questions.flatMap((question) =>
    Object.entries(question.listed ?? {}).map(([what, given]) => [what, { question, ...given }] as const),
  ),
)

/** What can be listed, and the options that say something about it. */
const kinds: ReadonlyMap<string, readonly string[]> = new Map([
  ['profiles', ['sort', 'limit', 'after']],
  ...[...listed].map(
    ([what, { question, fixed = {} }]) =>
      [what, Object.keys(question.parameters).filter((name) => fixed[name] === undefined)] as const,
  ),
])

function optionOf(name: string, usual = ''): Parameter & { readonly type: 'string' } {
  const uses = Map.groupBy(listed, ([, { question, fixed = {} }]) =>
    fixed[name] === undefined ? question.parameters[name]?.use : undefined,
  )
  const said = [...uses].flatMap(([use, kinds]) =>
    use === undefined ? [] : [`${kinds.map(([what]) => what).join(', ')}: ${use}`],
  )
  return { type: 'string', description: `${usual}${said.join('; ')}` }
}

export const find: AgentTool = defineTool({
  name: 'find',
  description: 'Lists profiles, or groups, errors or queries of them.',
  parameters: {
    what: { type: 'string', enum: [...kinds.keys()], description: 'Default profiles' },
    ...filterParameters,
    sort: optionOf('sort', `profiles: ${profileOrders.join(', ')}; `),
    limit: { type: 'integer', minimum: 1, maximum: 200, description: 'Of profiles (default 25)' },
    after: { type: 'string', description: 'Cursor of the last response' },
    by: optionOf('by'),
    state: optionOf('state'),
    id: optionOf('id'),
    sql: { type: 'string', maxLength: maxSqlLength, description: 'A SELECT of the database, also of its catalogue' },
    database: { type: 'string', description: 'Of sql' },
  },
  needs: { sql: 'readDatabase', database: 'readDatabase' },
  run: async ({ sql, database, ...others }, { profiles, sources }) => {
    if (sql !== undefined) {
      refuseOthers(others, ['limit'], 'rows')
      return rowsResponse(sources.readDatabase, { sql, database, limit: others.limit })
    }
    const { what = 'profiles', sort, limit, after, by, state, id, ...values } = others
    refuseOthers({ sort, limit, after, by, state, id, database }, kinds.get(what) ?? [], what)
    const filter = filterOf(values)
    const asked = listed.get(what)
    if (asked !== undefined) {
      const { question, usual, fixed } = asked
      return askQuestion({ ...sources, profiles }, filter, question, {
        ...usual,
        ...given({ sort, by, state, id }),
        ...fixed,
      })
    }
    return listProfiles(profiles, listedFilter(filter), sort, limit, after)
  },
})

function refuseOthers(given: Readonly<Record<string, unknown>>, known: readonly string[], what: string): void {
  const other = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name))
  if (other !== undefined) throw invalid(`\`${other}\` says nothing about ${what}. Leave it out.`)
}

type Profiles = RunningCall['profiles']

async function listProfiles(
  profiles: Profiles,
  filter: ProfileFilter,
  sort = 'newest',
  limit = 25,
  after?: string,
): Promise<ToolResponse> {
  const order = readOrder(sort)
  const page = { limit, order, countUpTo: maxMatched, ...(after !== undefined && { after }) }
  const found = await profiles.find(filter, page)
  const said = [
    found.items.length === 0
      ? 'No profile matches. Leave filters out, or send a request.'
      : `Found ${matchedText(found)}.`,
    ...(found.searchedNewest === undefined ? [] : [searchSentence(found.searchedNewest, order)]),
    ...(found.next === null ? [] : [`The next page: \`after: "${found.next}"\`.`]),
  ]
  const items = found.items.map((one) => `- \`${one.token}\` ${listedFacts(one, quote).join(' · ')}`)
  const more = 'use a larger `budget`, a filter, or a smaller `limit` and the cursor that it gives'
  return { title: 'Profiles', parts: [{ text: said.join(' '), items, more }] }
}

function readOrder(sort: string): ProfileOrder {
  const order = profileOrders.find((one) => one === sort)
  if (order === undefined) throw unusable('sort', sort, profileOrders.join(', '))
  return order
}

const fewer = 'use filters, or a larger `budget`'

function given(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
}

/** Its response as sections. Throws an AgentError for what cannot be used, and where there is nothing. */
export async function askQuestion(
  sources: QuestionSources,
  filter: ProfileFilter,
  question: Question,
  typed: Readonly<Record<string, string | undefined>>,
): Promise<ToolResponse> {
  const values = readTexts(question.parameters, new Map(Object.entries(given(typed))), (name, text, { use }) => {
    throw unusable(name, text, use)
  })
  const asked = { values, filter }
  const found = await question.ask(sources, asked).catch(asAgentError)
  const blocks = found === undefined ? [] : question.draw(found, asked)
  return {
    title: question.title(asked),
    parts: toSections(blocks, quote).map(({ title, text, items }) => ({ title, text, items, more: fewer })),
  }
}

function asAgentError(error: unknown): never {
  if (!(error instanceof QuestionError)) throw error
  throw new AgentError(error.status === 404 ? 'not_found' : 'failed', error.message, { cause: error })
}

async function rowsResponse(read: ReadDatabase | undefined, order: ReadOrder): Promise<ToolResponse> {
  if (read === undefined) throw new AgentError('not_available', 'SQL=read is not among the settings.')
  const answer = await read(order)
  if ('problem' in answer) throw new AgentError('failed', quote(answer.problem, 600))
  const { database, columns, rows, isMore } = answer
  const cell = (value: string | null, at: number): string =>
    `${quote(columns[at] ?? '')} ${value === null ? 'NULL' : quote(value, 1200)}`
  const text = `${counted(rows.length, 'row')} of ${quote(database)}.${isMore ? ' There are more.' : ''}`
  return { title: 'Rows', parts: [{ text, items: rows.map((row) => `- ${row.map(cell).join(' · ')}`) }] }
}

export const show: AgentTool = defineTool({
  name: 'show',
  description:
    'One profile: root cause of its error, lines to change, log, queries, outgoing requests, times, stack. With panel: all of that.',
  parameters: {
    token: {
      type: 'string',
      description: 'From find; latest; or last_error (default): newest 5xx or uncaught error',
    },
    panel: { type: 'string', description: 'request, exception, time, logger, database, http-client, router …' },
    from: { type: 'integer', minimum: 0, maximum: 1_000_000, description: 'First entry of the panel' },
  },
  run: async ({ token = 'last_error', panel, from = 0 }, { profiles }) => {
    const profile = await readProfile(profiles, token)
    return panel === undefined ? overviewResponse(profile) : panelResponse(profile, panel, from)
  },
})

/** By its token, `latest` or `last_error`. Throws an AgentError if there is none. */
async function readProfile(profiles: RunningCall['profiles'], token: string): Promise<Profile> {
  const isLastError = token === 'last_error'
  const named = isLastError ? (await findLastError(profiles))?.token : token
  const profile = named === undefined ? undefined : await readNamedProfile(profiles, named)
  if (profile !== undefined) return profile
  throw new AgentError(
    'not_found',
    isLastError
      ? 'No recent request ended with a 5xx or an uncaught error. Use `find` with `what: "errors"` for others.'
      : token === 'latest'
        ? 'Nothing has been recorded yet. Send a request.'
        : `There is no profile ${shown(token)}. Use \`find\` for tokens, latest or last_error.`,
  )
}

/** What was asked for and why it failed, then what it did. */
function overviewResponse(profile: Profile): ToolResponse {
  const { cause = [], stack = [] } = errorParts(profile, quote) ?? {}
  const notes = notesOf(profile).map(({ message }) => quote(message, 320))
  return {
    title: `Profile ${profile.token}: ${statusMark(profile)}`,
    parts: [
      { text: quote(requestLine(profile), 320) },
      ...withMore(cause, 'exception'),
      ...withMore([factsPart(profile)], 'request'),
      ...listSection('Notes', notes),
      ...findingParts(profile),
      ...withMore(stack, 'exception'),
      { title: 'Panels', text: namesText(panelNames(profile)) },
    ],
  }
}

/** One panel, from item or line number `from` on. Throws an AgentError for a panel that the profile does not have. */
function panelResponse(profile: Profile, panel: string, from: number): ToolResponse {
  const names = panelNames(profile)
  if (!names.includes(panel)) {
    const problem = `Profile ${profile.token} has no panel ${shown(panel)}.${didYouMean(panel, names)}`
    throw new AgentError('not_found', `${problem} It has: ${namesText(names) || 'none'}.`)
  }
  const parts = panelParts(profile, panel, from)
  const lengthOf = ({ items, lines }: ResponsePart = {}): number => (lines ?? items ?? []).length
  if (from > 0 && lengthOf(parts.at(-1)) === 0) {
    const length = lengthOf(panelParts(profile, panel, 0).at(-1))
    throw new AgentError('not_found', `\`from\`: the panel has ${length} entries. Use 0 to ${Math.max(0, length - 1)}.`)
  }
  const empty = { text: 'The panel is empty.' }
  return {
    title: `Panel ${quote(panel, 120)} of profile ${profile.token}`,
    parts: parts.length === 0 ? [empty] : parts,
  }
}

/** The title and the first line have request and status. The name of a family is asked for as it is. */
function factsPart(profile: Profile): Section {
  const items = itemsOf(facts('Profile', factsOf(profile).slice(2)), (text) => quote(text, 2000))
  if (profile.errorFamily === null) return { title: 'Facts', items }
  return { title: 'Facts', text: '`find` with the error as `family` lists all of them.', items }
}

function panelNames({ data }: Pick<Profile, 'data'>): readonly string[] {
  return Object.keys(data)
    .filter((name) => name !== 'notes')
    .sort()
}

/** Panels that are named. */
const maxPanels = 40

function namesText(names: readonly string[]): string {
  return names
    .slice(0, maxPanels)
    .map((name) => quote(name, 120))
    .join(', ')
}

/** What a tool says of one panel from item or line number `from` on. Names of panels that were never recorded give none. */
function panelParts(profile: Profile, panel: string, from: number): readonly ResponsePart[] {
  const parts = saidParts(profile, panel, quote) ?? dataParts(profile, panel)
  // `from` counts what the last part has.
  return parts.map((part, index) => (index === parts.length - 1 ? startingAt(part, panel, from) : part))
}

/** Warnings and errors of the log, queries and outgoing requests that deserve a look: what an overview needs of the panels. */
function findingParts(profile: Profile): readonly ResponsePart[] {
  const records = dataOf(profile, 'logger')?.records ?? []
  const problems = records.filter(({ level }) => level === 'warn' || level === 'error' || level === 'fatal')
  const log = problems.length === 0 ? [] : [logPart('Warnings and errors in the log', problems, 0)]
  return [
    ...withMore(log, 'logger'),
    ...withMore(saidParts(profile, 'database', quote) ?? [], 'database'),
    ...withMore(outgoingCalls(profile, quote) ?? [], 'http-client'),
    ...withMore(saidParts(profile, 'time', quote) ?? [], 'time'),
  ]
}

function withMore(parts: readonly Section[], panel: string): readonly ResponsePart[] {
  return parts.map((part) => ({ ...part, more: moreOf(panel) }))
}

function moreOf(panel: string): string {
  return `\`show\` with ${quote(`panel: "${panel}"`)}`
}

function startingAt(part: ResponsePart, panel: string, from: number): ResponsePart {
  const { items, lines } = part
  return {
    ...part,
    more: moreOf(panel),
    from,
    ...(items === undefined ? {} : { items: items.slice(from) }),
    ...(lines === undefined ? {} : { lines: lines.slice(from) }),
  }
}

function dataParts(profile: Profile, panel: string): readonly ResponsePart[] {
  const data = profile.data[panel]
  return data === undefined ? [] : [{ lines: jsonLines(data), language: 'json' }]
}

const texts = { type: 'array', items: { type: 'string' } } as const

export const replay: AgentTool = defineTool({
  name: 'replay',
  description:
    'Sends a recorded request again, and says what differs. What may change something needs confirm; masked values must be given anew.',
  changes: 'something',
  required: ['token'],
  parameters: {
    token: { type: 'string', description: 'Token, latest or last_error' },
    headers: { ...texts, description: 'Such as "Accept: text/html"; empty: left out' },
    query: { ...texts, description: 'Such as "page=2"' },
    body: { type: 'string', maxLength: 64 * 1024, description: 'Replaces the body' },
    without_masked: { type: 'boolean', description: 'Leave out what was masked' },
    values: { type: 'boolean', description: 'Show the lines that it ran' },
    confirm: { type: 'boolean', description: 'Only if a person said yes' },
  },
  run: async (values, { profiles, sources }) => {
    const { token, headers = [], query = [] } = values
    const profile = await readProfile(profiles, token)
    const response = await sources.replay({
      token: profile.token,
      headers: headers.map((line) => fieldOf(line) ?? refuse('headers', line, 'a name, a colon and a value')),
      query: query.map((pair) => parameterOf(pair) ?? refuse('query', pair, 'a name, an equals sign and a value')),
      ...(values.body === undefined ? {} : { body: values.body }),
      withoutMasked: values.without_masked ?? false,
      values: values.values ?? false,
      isConfirmed: values.confirm ?? false,
    })
    if (response.state === 'refused') throw refused(response)
    const { report } = response
    const parts = toSections(wholeReplay(report), quote)
    return { title: `Replay of ${profile.token}: ${quote(requestLine(profile), 160)}`, parts }
  },
})

const codes: Readonly<Record<ReplayRefusal['reason'], AgentErrorCode>> = {
  gone: 'not_found',
  invalid: 'invalid_arguments',
  incomplete: 'invalid_arguments',
  unconfirmed: 'invalid_arguments',
  impossible: 'refused',
  elsewhere: 'refused',
  unreachable: 'not_available',
}

const parameters: Readonly<Record<ReplayHelp, string>> = {
  headers: '`headers`',
  query: '`query`',
  body: '`body`',
  withoutMasked: '`without_masked`',
  confirm: '`confirm`, after a person has said yes',
}

/** Says which parameters help. */
function refused(refusal: ReplayRefusal): AgentError {
  const { reason, problem, missing } = refusal
  const help = helpWith(refusal).map((name) => parameters[name])
  const names = missing.slice(0, 10).map((value) => quote(missingText(value), 120))
  const said = names.length === 0 ? '' : ` Missing: ${names.join(', ')}.`
  return new AgentError(
    codes[reason],
    `${quote(problem, 480)}${said}${help.length === 0 ? '' : ` Use ${help.join(', ')}.`}`,
  )
}

function refuse(...mistake: Parameters<typeof unusable>): never {
  throw unusable(...mistake)
}
