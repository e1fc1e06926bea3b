// `fanlight lock dry-run`: which of the newest recorded requests a lock would have turned away, by route.

import type { Command } from 'commander'
import { isTurnedAway } from '../../plugins/maintenance/closure.ts'
import type { Closure } from '../../plugins/maintenance/lock-store.ts'
import type { ProfileSummary } from '../../profiler/profile.ts'
import type { ProfileReader } from '../../profiler/profile-store.ts'
import { NotedReads } from '../../profiler/query/missing-parts.ts'
import type { Cli } from '../cli.ts'
import { withJson } from '../command.ts'
import { tableLines, type Column } from '../table.ts'
import { readClosure, type ClosureOptions } from './lock-options.ts'
import { closesText, shortTime } from './lock-plan.ts'

interface DryRunOptions extends ClosureOptions {
  readonly json?: true
}

/** Requests that are looked at. */
const maxRequests = 1000

const pageSize = 200

interface RouteCount {
  /** `null`: no route took them. */
  readonly route: string | null
  readonly requests: number
  readonly turnedAway: number
}

/** Adds it to the command `lock`. */
export function registerLockDryRun(lock: Command, cli: Cli): void {
  withJson(lock.command('dry-run'))
    .description(`show which of the last ${maxRequests} recorded requests would have been turned away; changes nothing`)
    .option('--only <target...>', 'as if only these paths and routes were closed')
    .option('--read-only', 'as if GET and HEAD passed')
    .action((options: DryRunOptions) => dryRun(cli, options))
}

async function dryRun(cli: Cli, options: DryRunOptions): Promise<void> {
  const closure: Closure = readClosure(options) ?? {}
  const { requests, missing } = await cli.withEngine(async (engine) => {
    const profiles = new NotedReads(engine.profiles)
    return { requests: await newestRequests(profiles), missing: profiles.missing }
  })
  cli.noteMissing(missing)
  const routes = countByRoute(requests, closure)
  const turnedAway = routes.reduce((sum, route) => sum + route.turnedAway, 0)
  const oldest = requests.at(-1)
  if (options.json === true) {
    const since = oldest === undefined ? null : new Date(oldest.time).toISOString()
    return cli.terminal.json({ ...closure, requests: requests.length, since, turnedAway, routes, missing })
  }
  if (oldest === undefined) return cli.terminal.lines(['No request is recorded yet.'])
  cli.terminal.lines([
    `${turnedAway} of ${requests.length} recorded requests since ${shortTime(oldest.time)} would have been turned away.`,
    ...tableLines(cli.terminal, columns, routes),
    cli.terminal.tone(
      'quiet',
      `Tried: ${closesText({ only: closure.only ?? null, readOnly: closure.readOnly === true })}. What maintenance({ except }) keeps open is not left out.`,
    ),
  ])
}

const columns: readonly Column<RouteCount>[] = [
  { title: 'route', cell: ({ route }) => route ?? 'none', isFlexible: true },
  { title: 'requests', cell: ({ requests }) => String(requests), align: 'right' },
  {
    title: 'turned away',
    cell: ({ turnedAway }) => String(turnedAway),
    align: 'right',
    tone: ({ turnedAway }) => (turnedAway > 0 ? 'bad' : 'good'),
  },
]

/** Requests that clients have sent, the newest first. */
async function newestRequests(profiles: Pick<ProfileReader, 'find'>): Promise<readonly ProfileSummary[]> {
  const found: ProfileSummary[] = []
  let after: string | undefined
  while (found.length < maxRequests) {
    const page = await profiles.find(
      { type: 'request' },
      { limit: Math.min(pageSize, maxRequests - found.length), ...(after === undefined ? {} : { after }) },
    )
    found.push(...page.items.filter(({ parentToken, replayOf }) => parentToken === null && replayOf === null))
    if (page.next === null) break
    after = page.next
  }
  return found
}

/** Those with the most requests that are turned away first. */
function countByRoute(requests: readonly ProfileSummary[], closure: Closure): readonly RouteCount[] {
  const routes = new Map<string | null, RouteCount>()
  for (const { method, url, route } of requests) {
    const before = routes.get(route) ?? { route, requests: 0, turnedAway: 0 }
    const path = URL.parse(url)?.pathname ?? url
    const isAway = isTurnedAway(closure, { method, path, route: route ?? undefined })
    routes.set(route, { route, requests: before.requests + 1, turnedAway: before.turnedAway + (isAway ? 1 : 0) })
  }
  return [...routes.values()].sort((one, other) => other.turnedAway - one.turnedAway || other.requests - one.requests)
}
