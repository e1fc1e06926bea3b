// The tool that lists what was recorded: profiles, what they have in common, or their queries.

import { toSections } from '../../observe/blocks/sections.ts'
import { profileOrders, type ProfileOrder } from '../../profiles/profile-store.ts'
import { filterNames, filters, readFilter, type FilterName, type ProfileFilter } from '../../profiles/query/filters.ts'
import { listedFilter } from '../../profiles/query/named-profile.ts'
import { listedFacts, matchedText, maxMatched, searchSentence } from '../../profiles/profile-facts.ts'
import { questions } from '../questions/all.ts'
import { QuestionError, readTexts, type Question, type QuestionSources } from '../../pages/question.ts'
import { maxSqlLength } from '../../observe/outgoing/open-databases.ts'
import { rowsResponse } from './rows.ts'
import type { Parameter, AgentTool, RunningCall, ToolResponse } from './tool.ts'
import { AgentError, defineTool, invalid, quote, unusable } from './tool.ts'
import { tableOf } from '../../base/members.ts'

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
