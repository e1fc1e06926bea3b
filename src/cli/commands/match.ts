// `fanlight match`: which route takes a request, and why the others do not.

import type { Command } from 'commander'
import { RouterView } from '../../profiler/router-view.ts'
import type { RouterTraceEntry } from '../../profiler/request-record.ts'
import type { Suggestion } from '../../framework/routing/suggest-routes.ts'
import type { RouteTrial, RouteTrialProblem, TrialBase } from '../../profiler/query/route-table.ts'
import type { Cli } from '../cli.ts'
import { withJson, withModule, CliError, exitCodes } from '../command.ts'
import { withApp } from '../front-controller.ts'
import { askRunningApp, withAddress } from '../running-app.ts'
import { factLines, tableLines, visibleText, type Column, type Tone } from '../terminal.ts'

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
  else cli.terminal.lines([...verdictLines(cli, trial), ...traceLines(cli, trial, options.all === true)])
  if (trial.route !== null) return
  throw new CliError(`no route matches ${trial.method} ${trial.url}`, exitCodes.notFound)
}

async function tryRequest(
  cli: Cli,
  method: string,
  url: string,
  { at, module }: MatchOptions,
): Promise<RouteTrial | RouteTrialProblem> {
  if (at === undefined) {
    const base = placeOf(cli)
    return withApp(cli, module, ({ routes }) => new RouterView(routes).try(method, url, base))
  }
  const { trial } = await askRunningApp(at, { method, url })
  return trial ?? { problem: 'The URL is empty.' }
}

/** Where the application would listen: paths without scheme and host are tried there. */
export function placeOf(cli: Cli): TrialBase {
  const { host, port } = cli.context()
  return { scheme: 'http', host: host.includes(':') ? `[${host}]` : host, port }
}

function verdictLines({ terminal }: Cli, trial: RouteTrial): string[] {
  const { route, redirect, suggestions } = trial
  const request = visibleText(`${trial.method} ${trial.url}`)
  if (route === null) {
    const problem =
      trial.outcome === 'method_not_allowed' ? `is not allowed. Use ${trial.allow.join(', ')}` : 'matches no route'
    return [
      `${request} ${terminal.tone('bad', visibleText(problem))}.`,
      ...suggestions.flatMap(suggestionLines(terminal)),
    ]
  }
  const facts: (readonly [string, string])[] = [
    ['path', route.path],
    ['handler', route.handler],
    ['defined at', route.definedAt ?? 'unknown'],
    ...Object.entries(trial.params).map(([name, value]) => [`{${name}}`, textOf(value)] as const),
  ]
  const name = visibleText(route.name)
  if (redirect === null) return [`${request} matches ${terminal.tone('good', name)}.`, ...factLines(terminal, facts)]
  const target = visibleText(`is redirected to ${redirect.location} (${redirect.status})`)
  return [`${request} ${terminal.tone('warning', target)} by ${name}.`, ...factLines(terminal, facts)]
}

function suggestionLines(terminal: Cli['terminal']): (suggestion: Suggestion) => string[] {
  return ({ method, url, pattern, reason, routeName, definedAt }) => [
    `  ${terminal.tone('strong', visibleText(`${method} ${url ?? pattern}`))}  ${visibleText(reason)}`,
    `    ${terminal.tone('quiet', visibleText(`${routeName} ${pattern}${definedAt === null ? '' : `, ${definedAt}`}`))}`,
  ]
}

function traceLines({ terminal }: Cli, { trace, outcome }: RouteTrial, showsAll: boolean): string[] {
  if (trace.length === 0) return ['', 'The application has no routes.']
  let others = 0
  const shown = trace.filter(({ outcome }) => outcome !== 'no' || showsAll || ++others <= maxOthers)
  const hidden = trace.length - shown.length
  const rest = hidden === 0 ? [] : [terminal.tone('quiet', `${hidden} more with a different path: --all`)]
  const title = outcome === 'match' ? 'Routes in matching order' : 'Routes, closest first'
  const [head = '', ...rows] = tableLines(terminal, columns, shown)
  const lines = rows.flatMap((row, index) => [row].concat(reasonLine(terminal, shown[index]) ?? []))
  return ['', terminal.tone('quiet', `${title} (✗ different path, ~ something else differs):`), head, ...lines, ...rest]
}

/** What keeps a route whose path fits from taking the request, in whole below its row. */
function reasonLine(terminal: Cli['terminal'], entry: RouterTraceEntry | undefined): string | null {
  return entry?.outcome === 'almost' ? `   ${terminal.tone('warning', visibleText(entry.reason))}` : null
}

const tones: Readonly<Record<RouterTraceEntry['outcome'], Tone>> = { match: 'good', almost: 'warning', no: 'quiet' }

const columns: readonly Column<RouterTraceEntry>[] = [
  { title: '', cell: ({ outcome }) => ({ match: '✓', almost: '~', no: '✗' })[outcome], tone: toneOf },
  { title: 'route', cell: ({ route }) => route, tone: toneOf },
  { title: 'path', cell: ({ pattern }) => pattern, isFlexible: true },
  { title: 'defined at', cell: ({ definedAt }) => definedAt ?? 'unknown', isFlexible: true, tone: () => 'quiet' },
]

function toneOf({ outcome }: RouterTraceEntry): Tone {
  return tones[outcome]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
