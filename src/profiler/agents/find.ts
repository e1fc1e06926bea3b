// The tool that lists what was recorded: profiles, what they have in common, or their queries.

import { counted, formatDuration } from '../../framework/html/components.ts'
import { issueMarkdown, issuesScope, issueStates, readIssues, type IssueState } from '../issues/issues.ts'
import type { ProfileSummary } from '../profile.ts'
import { profileOrders, type GroupBy, type ProfileGroup } from '../profile-store.ts'
import { filterNames, filters, readFilter, type FilterName, type ProfileFilter } from '../query/filters.ts'
import { countedName, countedProfiles, groupOrders, inOrder, meanText, scopeSentence } from '../query/groups.ts'
import { listedFilter } from '../query/named-profile.ts'
import { isoTime, matchedText, maxMatched, requestLine, searchSentence, statusMark } from '../query/profile-facts.ts'
import { dataOf } from '../stored-data.ts'
import type { Parameter, AgentTool, RunningCall, ToolResponse } from './tool.ts'
import { invalid, shown, defineTool, quote } from './tool.ts'

const filterParameters = Object.fromEntries(
  filterNames.map((name) => [name, { type: 'string', description: filters[name].help }]),
) as Readonly<Record<FilterName, Parameter & { readonly type: 'string' }>>

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

/** What can be listed, and the options that say something about it. */
const kinds = {
  profiles: ['sort', 'limit', 'after'],
  groups: ['sort', 'by'],
  errors: ['sort'],
  issues: ['state'],
  queries: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export const find: AgentTool = defineTool({
  name: 'find',
  description:
    'Lists profiles (of requests, commands, jobs and tasks) with their tokens; groups of them; errors by family; issues; or queries of the newest 50 profiles.',
  parameters: {
    what: { type: 'string', enum: Object.keys(kinds) as (keyof typeof kinds)[], description: 'Default profiles' },
    ...filterParameters,
    sort: {
      type: 'string',
      description: `Profiles: ${profileOrders.join(', ')}. Groups, errors: ${groupOrders.join(', ')}`,
    },
    limit: { type: 'integer', minimum: 1, maximum: 200, description: 'Of profiles (default 25)' },
    after: { type: 'string', description: 'Cursor of the last response' },
    by: { type: 'string', enum: ['route', 'version'], description: 'Of groups (default route)' },
    state: { type: 'string', enum: issueStates, description: 'Of issues' },
  },
  run: async ({ what = 'profiles', sort, limit, after, by, state, ...values }, { profiles }) => {
    const takes: readonly string[] = kinds[what]
    for (const [name, value] of Object.entries({ sort, limit, after, by, state })) {
      if (value !== undefined && !takes.includes(name))
        throw invalid(`\`${name}\` says nothing about ${what}. Leave it out.`)
    }
    const filter = filterOf(values)
    if (what === 'profiles') return listProfiles(profiles, listedFilter(filter), sort, limit, after)
    if (what === 'issues') return listIssues(profiles, filter, state)
    if (what === 'queries') return listQueries(profiles, filter)
    return listGroups(profiles, filter, what === 'errors' ? 'error' : (by ?? 'route'), sort)
  },
})

type Profiles = RunningCall['profiles']

async function listProfiles(
  profiles: Profiles,
  filter: ProfileFilter,
  sort?: string,
  limit = 25,
  after?: string,
): Promise<ToolResponse> {
  const order = readOrder(sort, profileOrders) ?? 'newest'
  const page = { limit, order, countUpTo: maxMatched, ...(after !== undefined && { after }) }
  const found = await profiles.find(filter, page)
  const said = [
    found.items.length === 0
      ? 'No profile matches. Leave filters out, or send a request.'
      : `Found ${matchedText(found)}.`,
    ...(found.searchedNewest === undefined ? [] : [searchSentence(found.searchedNewest, order)]),
    ...(found.next === null ? [] : [`The next page: \`after: "${found.next}"\`.`]),
  ]
  const more = 'use a larger `budget`, a filter, or a smaller `limit` and the cursor that it gives'
  return { title: 'Profiles', parts: [{ text: said.join(' '), items: found.items.map(summaryLine), more }] }
}

function readOrder<Order extends string>(sort: string | undefined, orders: readonly Order[]): Order | undefined {
  const order = orders.find((one) => one === sort)
  if (sort === undefined || order !== undefined) return order
  throw invalid(`\`sort\`: ${shown(sort)} cannot be used. Use ${orders.join(', ')}.`)
}

function summaryLine(summary: ProfileSummary): string {
  const { token, durationMs, time, route, errorClass, errorMessage, findings, tags } = summary
  const facts = [
    `\`${token}\` ${statusMark(summary)} ${quote(requestLine(summary))}`,
    formatDuration(durationMs),
    isoTime(time),
    ...(route === null ? [] : [`route ${quote(route)}`]),
    ...(errorClass === null ? [] : [quote(`${errorClass}: ${errorMessage ?? ''}`)]),
    ...(findings.length === 0 ? [] : [findings.join(', ')]),
    ...(tags.length === 0 ? [] : [`tags ${tags.map((tag) => quote(tag)).join(' ')}`]),
  ]
  return `- ${facts.join('; ')}`
}

const fewer = 'use filters, or a larger `budget`'

async function listGroups(
  profiles: Profiles,
  filter: ProfileFilter,
  by: GroupBy,
  sort?: string,
): Promise<ToolResponse> {
  const order = readOrder(sort, groupOrders) ?? (by === 'error' ? 'last' : 'p95')
  const meant = countedProfiles(by === 'error' ? { ...filter, hasError: true } : filter, by)
  const found = await profiles.group(meant, by)
  const items = inOrder(found.groups, order).map((group) => groupLine(group, by))
  const text = items.length === 0 ? 'No profile matches.' : scopeSentence(found, countedName(meant))
  return { title: by === 'error' ? 'Errors' : 'Groups', parts: [{ text, items, more: fewer }] }
}

function groupLine(group: ProfileGroup, by: GroupBy): string {
  const { key, count, errorCount, ownCpuP50Ms, meanQueries, lastToken, lastTime, lastMessage } = group
  const facts = [
    `p50 ${formatDuration(group.p50Ms)}`,
    `p95 ${formatDuration(group.p95Ms)}`,
    `longest ${formatDuration(group.maxMs)}`,
    ...(ownCpuP50Ms === null ? [] : [`own code ${formatDuration(ownCpuP50Ms)}`]),
    ...(meanQueries === null ? [] : [`${meanText(meanQueries)} queries`]),
    `count ${count}, errors ${errorCount}`,
    `newest ${quote(lastToken)} at ${isoTime(lastTime)}`,
    ...(lastMessage === null ? [] : [`message ${quote(lastMessage)}`]),
  ]
  return `- ${key === null ? `no ${by}` : quote(key)}: ${facts.join(', ')}`
}

async function listIssues(profiles: Profiles, filter: ProfileFilter, state?: IssueState): Promise<ToolResponse> {
  const found = await readIssues(profiles, { filter, ...(state === undefined ? {} : { state }) })
  const items = found.issues.map((issue) => issueMarkdown(issue, quote))
  return { title: 'Issues', parts: [{ text: issuesScope(found), items, more: fewer }] }
}

/** Profiles whose queries are read, and of how many newest ones that match. */
const queriedProfiles = 50
const lookedProfiles = 200

async function listQueries(profiles: Profiles, filter: ProfileFilter): Promise<ToolResponse> {
  const { items } = await profiles.find(filter, { limit: lookedProfiles })
  const asked = items.filter(({ queryCount }) => queryCount !== 0).slice(0, queriedProfiles)
  const found = new Map<string, { system: string; text: string; count: number; totalMs: number; tokens: string[] }>()
  for (const { token } of asked) {
    const profile = await profiles.read(token)
    for (const { system, text, count, totalMs } of (profile && dataOf(profile, 'database'))?.groups ?? []) {
      const query = found.get(`${system} ${text}`) ?? { system, text, count: 0, totalMs: 0, tokens: [] }
      query.count += count
      query.totalMs += totalMs
      query.tokens.push(token)
      found.set(`${system} ${text}`, query)
    }
  }
  const slowest = [...found.values()].toSorted((one, other) => other.totalMs - one.totalMs)
  return {
    title: 'Queries',
    parts: [
      {
        text: `Queries of ${asked.length} of the newest ${items.length} profiles that match, by total time.`,
        items: slowest.map(
          ({ system, text, count, totalMs, tokens }) =>
            `- ${formatDuration(totalMs)}, ${counted(count, 'time')} in ${counted(tokens.length, 'profile')}, newest ${quote(tokens[0] ?? '')}, ${quote(system)}: ${quote(text, 400)}`,
        ),
        more: fewer,
      },
    ],
  }
}
