// Asks the profiler of an application that runs: the routes of other frameworks are only known there.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RouteTrial, RouteTrialProblem } from '../profiles/query/route-table.ts'
import type { FoundRoutes } from '../analysis/questions/routes.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { askReplay, isOnThisMachine, type RunningProfiler } from '../analysis/replay/ask-replay.ts'
import type { ReplayAnswer, ReplayOrder } from '../analysis/replay/replay.ts'
import { AccessKey } from '../pages/access-key.ts'
import { runningPlaces } from '../app/running-places.ts'
import type { Cli } from './cli.ts'
import { defaultModule, usageError, CliError, exitCodes } from './command.ts'
import { visibleLine } from '../base/markdown-text.ts'
import { Option, type Command } from 'commander'
import { membersOf } from '../base/members.ts'

/** How long it may take, in milliseconds: the first request starts the profiler. */
const patienceMs = 10_000

export interface RunningRoutes extends Pick<FoundRoutes, 'routes' | 'problems'> {
  /** `null` if no request was to be tried. */
  readonly trial: RouteTrial | RouteTrialProblem | null
}

export function withAddress(command: Command): Command {
  const option = new Option('--at <address>', 'ask the application that runs there, of any framework')
  return command.addOption(option.conflicts('module'))
}

/** Where the profiler of an application is, for commands that load no module. */
export function withPlace(command: Command): Command {
  const about = 'the application, and its profilerPath if it has one (default: the one that runs in this folder)'
  return command.option('--at <address>', about)
}

/** `tried`: the request to try. `isUnused`: only routes that were never hit. Throws a CliError: 2 for an address that cannot be used, 3 if no profiler responds, 1 if it refuses. */
export async function askRunningApp(
  address: string,
  tried: { readonly method: string; readonly url: string } | null,
  isUnused = false,
): Promise<RunningRoutes> {
  const page = routesPage(address)
  if (isUnused) page.search = 'unused=1'
  if (tried !== null) page.search = String(new URLSearchParams({ ...tried }))
  const response = await fetch(page, { redirect: 'error', signal: AbortSignal.timeout(patienceMs) }).catch(
    (error: unknown) => {
      const { cause = error } = membersOf(error)
      throw new CliError(`no application responds at ${address}: ${visibleLine(String(cause))}`, exitCodes.notFound)
    },
  )
  if (response.status === 403) throw new CliError(`the profiler at ${address} refuses this request (403)`)
  const answer: unknown = await response.json().catch(() => null)
  if (isRoutes(answer)) return answer
  if (response.status === 400 && isRefusal(answer))
    return { routes: [], problems: [], trial: { problem: answer.error } }
  throw new CliError(
    `there is no profiler at ${page.origin}${page.pathname.replace(/\/routes\.json$/, '')}; start the application in development, and name its profilerPath in the address if it has one`,
    exitCodes.notFound,
  )
}

function routesPage(address: string): URL {
  const profiler = profilerAt(address)
  return new URL(`${profiler.pathname}/routes.json`, profiler.origin)
}

/** `http://127.0.0.1:3000` and `http://127.0.0.1:3000/_debug` name an application and its profiler. Throws a usage error. */
function profilerAt(address: string): URL {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError('--at', address, 'the address of an application, such as http://127.0.0.1:3000')
  }
  const path = url.pathname.replace(/\/+$/, '')
  return new URL(path === '' ? '/_profiler' : path, url.origin)
}

/**
 * The address that routes are asked at in place of the module's: the one that was given, or where the default module is missing that of the
 * application that runs in this folder; `undefined` for the module.
 */
export function routesAddress(
  cli: Cli,
  { at, module }: { readonly at?: string; readonly module: string },
): string | undefined {
  const isOwn = module !== defaultModule || existsSync(resolve(cli.cwd, module))
  return at ?? (isOwn ? undefined : placesHere(cli)[0]?.href)
}

/** The profiler at an address. Default: that of the application that runs in this folder, or else where that of the settings would be, with their key. */
export function runningProfiler(cli: Cli, at: string | undefined): RunningProfiler {
  if (at !== undefined) return { url: profilerAt(at) }
  const url = placesHere(cli)[0] ?? new URL('/_profiler', ownOrigin(cli.context()))
  return { url, cookie: ownKeyCookie(cli.context(), url) }
}

/** The same on this machine only. Throws a usage error. */
export function profilerHere(cli: Cli, at: string | undefined): RunningProfiler {
  const profiler = runningProfiler(cli, at)
  if (at === undefined || isOnThisMachine(profiler.url)) return profiler
  throw usageError('--at', at, 'an address of this machine, such as http://127.0.0.1:3000')
}

/** Asks the applications that run in this folder, the newest first, until one recorded the request. Throws a usage error. */
export async function replayHere(cli: Cli, at: string | undefined, order: ReplayOrder): Promise<ReplayAnswer> {
  if (at !== undefined) return askReplay(profilerHere(cli, at), order)
  const [, ...others] = placesHere(cli)
  const guess = { ...order, guessed: others.length + 1 }
  let answer = await askReplay(profilerHere(cli, at), guess)
  for (const url of others) {
    if (answer.state === 'sent' || answer.reason !== 'elsewhere') break
    answer = await askReplay({ url, cookie: ownKeyCookie(cli.context(), url) }, guess)
  }
  return answer
}

/** On this machine only: a folder may come from elsewhere, and the key of the profiler is sent there. */
function placesHere(cli: Cli): readonly URL[] {
  return runningPlaces(cli.context()).filter(isOnThisMachine)
}

/** Where the application of the settings listens. */
export function ownOrigin({ host, port }: Pick<RuntimeContext, 'host' | 'port'>): URL {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return new URL(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`)
}

/** The cookie for the profiler of the application of the settings, if they name a key. */
function ownKeyCookie({ profilerKey }: Pick<RuntimeContext, 'profilerKey'>, { port }: URL): string | undefined {
  if (typeof profilerKey === 'string' || profilerKey === null) return undefined
  return new AccessKey(profilerKey).cookie({ port: Number(port || 80) })
}

function isRoutes(answer: unknown): answer is RunningRoutes {
  return typeof answer === 'object' && answer !== null && 'routes' in answer && Array.isArray(answer.routes)
}

function isRefusal(answer: unknown): answer is { readonly error: string } {
  return typeof answer === 'object' && answer !== null && 'error' in answer && typeof answer.error === 'string'
}
