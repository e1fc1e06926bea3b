// Runs a front controller as a process: reads the runtime context, listens, says where, and ends in order on a signal.

import { inspect } from 'node:util'
import { RuntimeContextError, type RuntimeContext } from '../http/config/runtime-context.ts'
import { isLoopback } from '../http/config/variables.ts'
import type { ThrownReport } from './thrown-report.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { ListenAddress } from '../http/node/server.ts'
import { isMaintenance } from '../stores/lock/closure.ts'
import { keepPlace } from './running-places.ts'
import type { App } from './app.ts'
import { readWanted, isClosedAtBoot, loadProcessContext } from './process-context.ts'
import { membersOf } from '../base/members.ts'

/** Makes the application for a runtime context (SPEC 1.2). */
export type FrontController = (context: RuntimeContext) => App | Promise<App>

/** An application that listens. */
export interface RunningApp extends ListenAddress {
  /** What the front controller made. */
  readonly app: App
}

/** Crashes that are reported in full while the process drains; of further ones only the count. */
const maxReports = 10

/** How long the application may take to start while it is closed, in milliseconds; then the page is served without it. */
const closedStartMs = 3000

const exitCodes = { cannotStart: 1, crashed: 1, secondSignal: 130 } as const

/**
 * Starts the application and keeps it running until SIGINT, SIGTERM or SIGHUP. Before that the names of the `.env` files that
 * `process.env` lacks are set there. Gives the application and where it listens: the actual port, also where `PORT` is 0. If it cannot
 * start, the process exits with 1: a setting or a port in use is one line on standard error, any other error is shown in full, as on an
 * error page. With `APP_LOCK` closed, the maintenance page is served instead. In a module that a command of `fanlight` imports, it only
 * hands over the front controller.
 */
export async function run(frontController: FrontController): Promise<RunningApp> {
  const wanted = readWanted()
  if (wanted !== undefined) return new Promise(() => wanted.take(frontController))
  toleratesClosedOutput()
  try {
    const { context, warnings } = loadProcessContext()
    for (const warning of warnings) console.error(`Warning: ${warning}`)
    const app = await started(frontController, context)
    endsInOrder(app)
    const address = await app.listen()
    if (process.stdout.isTTY || context.debug) console.log(banner(app, address.url))
    if (app.profilerPath !== null) keepPlace(context, `${pageUrl(address.url, context)}${app.profilerPath}`)
    return { app, ...address }
  } catch (error) {
    console.error(oneLineProblem(error) ?? (await reportOf({ heading: 'Cannot start', thrown: error })))
    const gate = await closedGate()
    if (gate === undefined) process.exit(exitCodes.cannotStart)
    return gate
  }
}

/** With the lock of the context closed, an application that does not start in time has failed, and what nothing handles meanwhile is only told. */
async function started(frontController: FrontController, context: RuntimeContext): Promise<App> {
  if (!isMaintenance(context.lock)) return frontController(context)
  // Node calls it with rejections, too.
  const tell = async (thrown: unknown): Promise<void> =>
    console.error(await reportOf({ heading: 'Uncaught exception', thrown }))
  process.on('uncaughtException', tell)
  try {
    const starting = Promise.resolve(frontController(context))
    // Nothing else may keep the process meanwhile.
    if (!(await isLate(starting, closedStartMs))) return await starting
    starting.then((app) => app.close()).catch(() => undefined)
    throw new Error(`The application did not start within ${closedStartMs} ms`)
  } finally {
    process.off('uncaughtException', tell)
  }
}

/** The page in place of an application that cannot start, if it is closed; `undefined` if not, or if it cannot listen either. */
async function closedGate(): Promise<RunningApp | undefined> {
  const place = { cwd: process.cwd(), env: process.env }
  if (!isClosedAtBoot(place.cwd, place.env)) return undefined
  const { serveClosed } = await import('./closed-gate.ts')
  const gate = await serveClosed(place).catch((error: unknown) => console.error(oneLineProblem(error) ?? error))
  if (gate === undefined) return undefined
  endsInOrder(gate.app)
  console.error(`The application is closed by APP_LOCK: ${gate.url} serves the maintenance page without it.`)
  return gate
}

function banner(app: App, url: string): string {
  const { context } = app
  const rows: readonly (readonly [string, string])[] = [
    ['Application', url],
    ...(app.profilerEntry === null ? [] : [['Profiler', `${pageUrl(url, context)}${app.profilerEntry}`] as const]),
    ['Environment', `${context.env}${context.debug ? ', debug' : ''}`],
    ['Store', app.storeName],
    ...(app.isClosedForMaintenance ? [['Maintenance', 'on: every request gets the maintenance page'] as const] : []),
  ]
  return [
    '',
    ...rows.map(([name, value]) => `  ${`${name}:`.padEnd(13)} ${value}`),
    '',
    '  Ctrl-C drains and ends.',
    '',
  ].join('\n')
}

/** Where a browser may open the profiler: `0.0.0.0` is not an allowed host. */
function pageUrl(url: string, { host, port, allowedHosts }: RuntimeContext): string {
  const named = isLoopback(host) ? undefined : allowedHosts.find((allowed) => !allowed.startsWith('*.'))
  const { protocol, port: actualPort } = new URL(url)
  return named === undefined ? url : `${protocol}//${named}:${actualPort || port}`
}

/** What a setting or the socket stops, in a line that says what to change; `undefined` for every other error. */
function oneLineProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof RuntimeContextError) return `Cannot start: ${error.message}`
  const { code, port, address } = membersOf(error)
  if (code === 'EADDRINUSE')
    return `Cannot start: ${String(address)}:${String(port)} is in use by another process. Name another port: PORT=8001`
  if (code === 'EACCES' && typeof port === 'number')
    return `Cannot start: port ${port} needs more rights. Name another port: PORT=8000`
  if (code === 'EADDRNOTAVAIL')
    return `Cannot start: this machine has no address ${String(address)}. Name another one: HOST=127.0.0.1`
  return undefined
}

/** In full: error, causes, frames and source. */
async function reportOf(failure: Omit<ThrownReport, 'isTerminal'>): Promise<string> {
  try {
    const { thrownReport } = await import('./thrown-report.ts')
    // Node leaves `isTTY` undefined on a pipe.
    return thrownReport({ ...failure, isTerminal: Boolean(process.stderr.isTTY) })
  } catch {
    return `${failure.heading}: ${inspect(failure.thrown)}`
  }
}

/**
 * The first signal drains, a second one ends at once. A crash drains too, whatever crashes meanwhile, and exits with 1 (SECURITY R11), but for
 * an application that is closed at boot: none of its code handles a request, and its page stays (SPEC 6.6).
 */
function endsInOrder(app: App): void {
  let isEnding = false
  let exitCode: number = 0
  let crashes = 0
  const reports: Promise<void>[] = []
  const close = async (lingers: boolean): Promise<void> => {
    try {
      await app.close({ lingers })
    } catch {
      exitCode = exitCodes.crashed
    }
    await Promise.all(reports)
    if (crashes > maxReports) console.error(`${crashes - maxReports} more errors were not handled by anything.`)
    process.exit(exitCode)
  }
  const end = (lingers = false): void => {
    if (isEnding) return
    isEnding = true
    void close(lingers)
  }
  const endBySignal = (signal: NodeJS.Signals): void => {
    if (isEnding) process.exit(exitCodes.secondSignal)
    end(signal === 'SIGTERM')
  }
  const report = async (heading: string, thrown: unknown): Promise<void> => {
    const exchange = currentExchange()
    await app.reportCrash(heading, thrown, Boolean(process.stderr.isTTY))
    const keepsProfiles = !app.storeName.startsWith('memory')
    console.error(await reportOf({ heading, thrown, exchange, keepsProfiles }))
  }
  const crash = (heading: string, thrown: unknown): void => {
    exitCode = exitCodes.crashed
    crashes += 1
    if (crashes <= maxReports) reports.push(report(heading, thrown))
    if (!isMaintenance(app.context.lock)) end()
  }
  process.on('SIGINT', endBySignal)
  process.on('SIGTERM', endBySignal)
  // The terminal is gone. Shell and system both send it, so it never counts as the second signal.
  process.on('SIGHUP', () => end())
  const reporting = { reportsCrashes: true }
  process.on(
    'uncaughtException',
    Object.assign((error: unknown) => crash('Uncaught exception', error), reporting),
  )
  process.on(
    'unhandledRejection',
    Object.assign((reason: unknown) => crash('Unhandled rejection', reason), reporting),
  )
}

/** A closed pipe (`npm start | head -1`) must not end the server. */
function toleratesClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
}
