// `fanlight match`: which route takes a request, and why the others do not.

import type { Command } from 'commander'
import { RouterView } from '../../profiles/router-view.ts'
import type { RouteTrial, RouteTrialProblem, TrialBase } from '../../profiles/query/route-table.ts'
import { askedBlocks, trialBlocks } from '../../analysis/route-words.ts'
import type { Cli } from '../cli.ts'
import { withJson, withModule, CliError, exitCodes } from '../command.ts'
import { withApp } from '../front-controller.ts'
import { askRunningApp, routesAddress, withAddress } from '../running-app.ts'
import { printBlocks } from '../terminal-blocks.ts'

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
