// `fanlight lock dry-run`: which of the newest recorded requests a lock would have turned away, by route.

import type { Command } from 'commander'
import { isTurnedAway } from '../../plugins/maintenance/closure.ts'
import { Exceptions, exceptionsAllowed, isException } from '../../plugins/maintenance/exceptions.ts'
import type { Closure, LockStore } from '../../plugins/maintenance/lock-store.ts'
import type { ProfileSummary } from '../../profiler/profile.ts'
import type { ProfileReader } from '../../profiler/profile-store.ts'
import { NotedReads } from '../../profiler/query/missing-parts.ts'
import type { Cli } from '../cli.ts'
import { usageError, withJson } from '../command.ts'
import { visibleText, tableLines, type Column } from '../terminal.ts'
import { readClosure, type ClosureOptions, closesText, shortTime } from './lock-plan.ts'

interface DryRunOptions extends ClosureOptions {
  readonly except?: readonly string[]
  readonly json?: true
}

/** Requests that are looked at. */
const maxRequests = 1000

const pageSize = 200

interface RouteCount {
  /** `null`: they matched no route. */
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
    .option(
      '--except <entry...>',
      'as if maintenance({ except }) had only these (default: what running processes have)',
    )
    .action((options: DryRunOptions) => dryRun(cli, options))
}

/** What stays open, and who said so. */
interface TriedExceptions {
  readonly entries: readonly string[]
  /** `null`: nobody has. */
  readonly from: 'option' | 'processes' | null
}

async function dryRun(cli: Cli, options: DryRunOptions): Promise<void> {
  const closure: Closure = readClosure(options) ?? {}
  const given = readExceptions(options)
  const { requests, missing, except } = await cli.withEngine(async (engine) => {
    const profiles = new NotedReads(engine.profiles)
    const except = given ?? (await exceptionsOf(engine.lock))
    return { requests: await newestRequests(profiles), missing: profiles.missing, except }
  })
  cli.noteMissing(missing)
  const routes = countByRoute(requests, closure, new Exceptions(except.entries))
  const turnedAway = routes.reduce((sum, route) => sum + route.turnedAway, 0)
  const oldest = requests.at(-1)
  if (options.json === true) {
    const since = oldest === undefined ? null : new Date(oldest.time).toISOString()
    return cli.terminal.json({ ...closure, except, requests: requests.length, since, turnedAway, routes, missing })
  }
  if (oldest === undefined) return cli.terminal.lines(['No request is recorded yet.'])
  cli.terminal.lines([
    `${turnedAway} of ${requests.length} recorded requests since ${shortTime(oldest.time)} would have been turned away.`,
    ...tableLines(cli.terminal, columns, routes),
    cli.terminal.tone(
      'quiet',
      `Tried: ${closesText({ only: closure.only ?? null, readOnly: closure.readOnly === true })}. ${sayExceptions(except)}`,
    ),
  ])
}

/** `undefined`: none were named. Throws a usage error. */
function readExceptions({ except }: DryRunOptions): TriedExceptions | undefined {
  const refused = except?.find((entry) => !isException(entry))
  if (refused !== undefined) throw usageError('--except', refused, exceptionsAllowed)
  return except === undefined ? undefined : { entries: except, from: 'option' }
}

/** What any running process excepts. */
async function exceptionsOf({ journal }: LockStore): Promise<TriedExceptions> {
  const { reports } = (await journal?.read()) ?? { reports: [] }
  const entries = new Set(reports.flatMap(({ except }) => except.filter(isException)))
  return { entries: [...entries], from: reports.length === 0 ? null : 'processes' }
}

function sayExceptions({ entries, from }: TriedExceptions): string {
  if (from === null) return 'No process is running, so no exceptions are known: name them with --except.'
  const named = entries.length === 0 ? 'nothing' : visibleText(entries.join(' '))
  const who = from === 'option' ? 'by --except' : 'by running processes'
  const links = entries.includes('links') ? ' Who has a link is not recorded.' : ''
  return `Excepted ${who}: ${named}.${links}`
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
function countByRoute(
  requests: readonly ProfileSummary[],
  closure: Closure,
  exceptions: Exceptions,
): readonly RouteCount[] {
  const routes = new Map<string | null, RouteCount>()
  for (const { method, url, route, ip } of requests) {
    const before = routes.get(route) ?? { route, requests: 0, turnedAway: 0 }
    const { pathname: path, hostname: host } = URL.parse(url) ?? { pathname: url, hostname: '' }
    const request = { method, path, route: route ?? undefined }
    const isAway = isTurnedAway(closure, request) && !exceptions.admit({ host, clientAddress: ip }, request)
    routes.set(route, { route, requests: before.requests + 1, turnedAway: before.turnedAway + (isAway ? 1 : 0) })
  }
  return [...routes.values()].sort((one, other) => other.turnedAway - one.turnedAway || other.requests - one.requests)
}
