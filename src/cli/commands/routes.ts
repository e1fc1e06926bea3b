// `fanlight routes`: the route table of an application, and what is wrong with it. `fanlight match`: which route takes a request, and why the
// others do not.

import { Option, type Command } from 'commander'
import { countOf } from '../../base/html/page-budget.ts'
import { RouterView } from '../../profiles/router-view.ts'
import {
  filterRoutes,
  routeUse,
  unusedRoutes,
  type RouteFacts,
  type RouteFinding,
} from '../../profiles/query/route-table.ts'
import type { RouteTrial, RouteTrialProblem, TrialBase } from '../../profiles/query/route-table.ts'
import { faultBlocks, routeBlocks, askedBlocks, trialBlocks } from '../../analysis/route-words.ts'
import type { Cli } from '../cli.ts'
import { withJson, withModule, CliError, exitCodes } from '../command.ts'
import { withApp, withStoredApp, withoutOutput } from '../front-controller.ts'
import { askRunningApp, routesAddress, withAddress } from '../running-app.ts'
import { printBlocks } from '../terminal-blocks.ts'
import { Redactor } from '../../base/redact/redactor.ts'
import { skippedBlocks, watchRoutes, type SkippedRoute } from '../../ran/skipped-routes.ts'
import { findProjectRoot } from '../../base/own-package.ts'
import { Server } from 'node:net'
import { getCompileCacheDir } from 'node:module'

interface RoutesOptions {
  readonly module: string
  readonly at?: string
  readonly check?: true
  readonly unused?: true
  readonly skipped?: true
  readonly json?: true
}

export function registerRoutes(program: Command, cli: Cli): void {
  withJson(withAddress(withModule(program.command('routes'))))
    .description('list the routes of an application in matching order')
    .argument('[part]', 'only routes with this text in any column')
    .option('--check', 'look for duplicate, shadowed and unreachable routes; exits with 1 if there are any')
    .option(
      '--unused',
      'only routes without a stored profile; with --at also without a request since that process started',
    )
    .addOption(
      new Option(
        '--skipped',
        'calls that look as if they add routes, but do not run; starts it without listening',
      ).conflicts(['at', 'check', 'unused']),
    )
    .action((part: string | undefined, options: RoutesOptions) => showRoutes(cli, part ?? '', options))
}

async function showRoutes(cli: Cli, part: string, options: RoutesOptions): Promise<void> {
  const { terminal } = cli
  if (options.skipped === true) {
    const skipped = await skippedRoutes(cli, options.module)
    if (options.json === true) terminal.json({ skipped })
    else printBlocks(terminal, skippedBlocks(skipped, new Redactor(), cli.env))
    return
  }
  const { all, findings } = await readRoutes(cli, options)
  const shown = filterRoutes(all, part)
  if (options.json === true) terminal.json({ routes: shown, problems: findings })
  else if (options.check === true && findings.length === 0)
    terminal.lines([terminal.tone('good', `No problem in ${countOf(all.length, 'route')}.`)])
  else if (options.check === true) printBlocks(terminal, faultBlocks(findings))
  else
    printBlocks(terminal, [
      ...routeBlocks(shown, { all: all.length, part, unused: options.unused === true ? 'kept' : null }),
      ...faultBlocks(findings),
    ])
  if (options.check === true && findings.length > 0) {
    throw new CliError(`the route table has ${countOf(findings.length, 'problem')}`)
  }
}

/** Starts an application of any framework: until it is made, or would listen. */
async function skippedRoutes(cli: Cli, module: string): Promise<readonly SkippedRoute[]> {
  if (getCompileCacheDir() !== undefined) {
    throw new CliError('V8 counts nothing in code that was compiled before; set NODE_DISABLE_COMPILE_CACHE=1')
  }
  const { promise: listened, resolve, reject } = Promise.withResolvers<void>()
  Server.prototype.listen = function listen() {
    resolve()
    return this
  }
  const end = watchRoutes(findProjectRoot(cli.cwd))
  await withoutOutput(async () => {
    const made = withStoredApp(cli, module, null, () => undefined)
    const started = made.catch(async (error: unknown) => {
      // A module without a front controller may go on until it listens.
      process.once('beforeExit', () => setImmediate(reject, error))
      await listened
    })
    await Promise.race([started, listened])
  })
  return end()
}

async function readRoutes(
  cli: Cli,
  options: RoutesOptions,
): Promise<{ readonly all: readonly RouteFacts[]; readonly findings: readonly RouteFinding[] }> {
  const { module, unused } = options
  const at = routesAddress(cli, options)
  if (at !== undefined) {
    const { routes, problems } = await askRunningApp(at, null, unused === true)
    return { all: routes, findings: problems }
  }
  const { all, findings } = await withApp(cli, module, ({ routes }) => {
    const view = new RouterView(routes)
    return { all: view.list(), findings: view.findings() }
  })
  if (unused !== true) return { all, findings }
  const { service } = cli.context()
  const { routes } = await cli.withEngine(async ({ profiles }) => routeUse(all, profiles, service))
  return { all: unusedRoutes(routes), findings }
}

interface MatchOptions {
  readonly module: string
  readonly at?: string
  readonly all?: true
  readonly json?: true
}

/** Routes of a trace whose path is another one, that are shown without `--all`. */
const maxOthers = 10

export function registerMatch(program: Command, cli: Cli): void {
  withJson(withAddress(withModule(program.command('match'))))
    .description('show which route matches a request, and why the others do not; exits with 3 if none does')
    .argument('<method>', 'GET, POST …')
    .argument('<url>', 'https://host/path, or a path')
    .option('--all', 'list every route that does not match')
    .action((method: string, url: string, options: MatchOptions) => showMatch(cli, method, url, options))
}

async function showMatch(cli: Cli, method: string, url: string, options: MatchOptions): Promise<void> {
  const trial = await tryRequest(cli, method, url, options)
  if ('problem' in trial) throw new CliError(trial.problem, exitCodes.usage)
  if (options.json === true) cli.terminal.json(trial)
  else
    printBlocks(cli.terminal, [
      ...trialBlocks(trial),
      ...askedBlocks(trial, options.all === true ? Infinity : maxOthers),
    ])
  if (trial.route !== null) return
  throw new CliError(`no route matches ${trial.method} ${trial.url}`, exitCodes.notFound)
}

async function tryRequest(
  cli: Cli,
  method: string,
  url: string,
  options: MatchOptions,
): Promise<RouteTrial | RouteTrialProblem> {
  const at = routesAddress(cli, options)
  if (at === undefined) {
    const base = placeOf(cli)
    return withApp(cli, options.module, ({ routes }) => new RouterView(routes).try(method, url, base))
  }
  const { trial } = await askRunningApp(at, { method, url })
  return trial ?? { problem: 'The URL is empty.' }
}

/** Where the application would listen: paths without scheme and host are tried there. */
function placeOf(cli: Cli): TrialBase {
  const { host, port } = cli.context()
  return { scheme: 'http', host: host.includes(':') ? `[${host}]` : host, port }
}
