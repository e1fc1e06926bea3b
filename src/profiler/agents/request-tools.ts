// Tools that read single requests and lists of them.

import { setTimeout } from 'node:timers/promises'
import type { Profile } from '../profile.ts'
import { profileOrders, type ProfileFilter, type ProfilePage } from '../profile-store.ts'
import { findLastError, listedFilter, readNamedProfile } from '../query/named-profile.ts'
import { matchedText, maxMatched, searchSentence } from '../query/profile-facts.ts'
import { AgentError } from './agent-error.ts'
import type { ToolResponse } from './tool-response.ts'
import { filterParameters, readFilter } from './filter-parameters.ts'
import { choice, count, requiredText, shown, text } from './parameters.ts'
import { overviewResponse, panelResponse, summaryLine } from './profile-response.ts'
import { defineTool, type AgentTool, type RunningCall } from './tool.ts'

export const listRequests: AgentTool = defineTool({
  name: 'list_requests',
  title: 'List requests',
  description:
    'Lists recorded requests, newest first (commands, jobs and tasks where a filter is set: type: all), one line each: token, status, address, duration, error, findings. Start here to find a token for get_request. All filters may be combined.',
  parameters: {
    ...filterParameters,
    sort: choice('The order. All but newest look at the newest 10,000 only.', profileOrders),
    limit: count('How many at most', { least: 1, most: 200, byDefault: 25 }),
    after: text('The page after this cursor, as the last response named it'),
  },
  run: async ({ sort = 'newest', limit = 25, after, ...values }, { profiles }) => {
    const filter = listedFilter(readFilter(values))
    const request = { limit, order: sort, countUpTo: maxMatched, ...(after === undefined ? {} : { after }) }
    return listResponse(await profiles.find(filter, request), sort)
  },
})

function listResponse(page: ProfilePage, order: (typeof profileOrders)[number]): ToolResponse {
  const said = [
    page.items.length === 0
      ? 'No request matches. Leave filters out, or use `wait_for_request` and send one.'
      : `Found ${matchedText(page)}.`,
    ...(page.searchedNewest === undefined ? [] : [searchSentence(page.searchedNewest, order)]),
    ...(page.next === null ? [] : [`The next page: \`after: "${page.next}"\`.`]),
  ]
  const more = (from: number): string =>
    from === 0
      ? 'use a larger `budget`'
      : `use a larger \`budget\`, a filter, or \`limit: ${from}\` and the cursor that it gives`
  return {
    title: 'Requests',
    parts: [{ text: said.join(' '), items: page.items.map(summaryLine), things: 'requests', more }],
  }
}

export const getRequest: AgentTool = defineTool({
  name: 'get_request',
  title: 'Read a request',
  description:
    'What one request, command, job or task did: the root cause of its error, where to change it, queries, outgoing requests, log, times. With panel: everything that this panel has (request, exception, time, logger, database, http-client, router …).',
  parameters: {
    token: requiredText('Token of the request, or latest for the newest one'),
    panel: text('One panel in full. Default: an overview of all', 'the name of a panel, such as logger'),
    from: count('Number of the first line or entry of the panel', { least: 0, most: 1_000_000, byDefault: 0 }),
  },
  run: async ({ token, panel, from = 0 }, { profiles }) => {
    const profile = await readProfile(profiles, token)
    return panel === undefined ? overviewResponse(profile) : panelResponse(profile, panel, from)
  },
})

export const lastError: AgentTool = defineTool({
  name: 'last_error',
  title: 'Read the last error',
  description:
    'The newest request with a 5xx or an uncaught error: root cause, the lines to change, source, stack, queries, log. All filters may narrow which requests are meant; type: job, task or command for those; status: 404 for misses.',
  parameters: filterParameters,
  run: async (values, { profiles }) => {
    const newest = await findLastError(profiles, readFilter(values))
    const profile = newest === undefined ? undefined : await profiles.read(newest.token)
    if (profile === undefined) {
      return { title: 'No error', parts: [{ text: 'No request that matches failed.' }] }
    }
    return overviewResponse(profile, await timesSeen(profile, profiles))
  },
})

async function timesSeen({ errorFamily }: Profile, profiles: RunningCall['profiles']): Promise<readonly string[]> {
  if (errorFamily === null) return []
  const { matched = 0 } = await profiles.find({ errorFamily }, { limit: 1, countUpTo: maxMatched })
  if (matched < 2) return []
  return [
    `Seen in ${matched >= maxMatched ? 'at least ' : ''}${matched} requests: use \`list_requests\` with \`family\``,
  ]
}

/** Between two looks at a store that other processes write to, in milliseconds. */
const pollMs = 250

export const waitForRequest: AgentTool = defineTool({
  name: 'wait_for_request',
  title: 'Wait for a request',
  description:
    'Waits until a new request that matches has ended, and reads it. Call it, then send the request or ask somebody to. Requests from before the call count only with since.',
  parameters: {
    ...filterParameters,
    seconds: count('How long to wait. Many clients give up after 60 seconds by themselves', {
      least: 1,
      most: 300,
      byDefault: 30,
    }),
  },
  run: async ({ seconds = 30, ...values }, call) => {
    const filter = readFilter(values)
    const found = await call.sources.waits.wait(async () => firstMatch(filter, seconds * 1000, call))
    if (found === null) {
      throw new AgentError('too_many', 'Too many calls are waiting already. Wait until one of them has ended.')
    }
    if (found !== undefined) return overviewResponse(found)
    const text = `No request that matches has ended within ${seconds} s. Check that the application runs and records, or use fewer filters.`
    return { title: 'No request', parts: [{ text }] }
  },
})

/** The oldest new profile that matches; `undefined` if none came in time, or nobody waits any more. */
async function firstMatch(filter: ProfileFilter, budgetMs: number, call: RunningCall): Promise<Profile | undefined> {
  const { profiles, signal: gone } = call
  const signal = AbortSignal.any([gone, AbortSignal.timeout(budgetMs)])
  const begun = filter.since === undefined ? (await profiles.find({}, { limit: 1 })).newest : undefined
  while (true) {
    const { items } = await profiles.find(filter, { limit: 200, ...(begun === undefined ? {} : { newerThan: begun }) })
    const oldest = items.at(-1)
    const profile = oldest === undefined ? undefined : await profiles.read(oldest.token)
    if (profile !== undefined || signal.aborted) return profile
    await news(call, signal)
  }
}

/** Resolves when there may be something new. */
async function news({ sources }: RunningCall, signal: AbortSignal): Promise<void> {
  const woken = new AbortController()
  const unwatch = sources.profiles.watch?.(() => woken.abort())
  await setTimeout(pollMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined)
  unwatch?.()
}

/** By its token, or the newest for `latest`. Throws an AgentError if there is none. */
export async function readProfile(profiles: RunningCall['profiles'], token: string): Promise<Profile> {
  const profile = await readNamedProfile(profiles, token)
  if (profile !== undefined) return profile
  const problem =
    token === 'latest'
      ? 'Nothing has been recorded yet. Send a request, or use `wait_for_request`.'
      : `There is no profile ${shown(token)}. Use \`list_requests\` to find one.`
  throw new AgentError('not_found', problem)
}
