// `fanlight profiles`: registers its subcommands; `pause`, `resume` and `purge` themselves.

import { isoTime } from '../../base/html/components.ts'
import { visibleLine } from '../../base/markdown-text.ts'
import { countOf } from '../../base/html/page-budget.ts'
import { profileOrders, type ProfilePage, missingSentence, NotedReads } from '../../profiles/profile-store.ts'
import { pauseSentence, statusMark, subjectOf } from '../../profiles/profile-facts.ts'
import { pauseNow } from '../../profiles/set-by-people.ts'
import { maxTokenMs, maxTokenPath, signToken, tokenHeader } from '../../profiles/sampling/sampler.ts'
import type { Cli } from '../cli.ts'
import {
  oneOf,
  usageError,
  withJson,
  withModule,
  CliError,
  exitCodes,
  writeNew,
  readDuration,
  wholeNumber,
  type ExitCode,
} from '../command.ts'
import { ownOrigin, runningProfiler, withPlace, replayHere } from '../running-app.ts'
import { cutToColumns, type Terminal } from '../terminal.ts'
import {
  readOption,
  withFilters,
  toFilter,
  type ProfileFilterOptions,
  listProfiles,
  statusTone,
  type ProfileListOptions,
  findProfile,
  showProfile,
  type ProfileShowOptions,
} from './profiles-read.ts'
import { registerQuestions } from './questions.ts'
import { exportProfile, importProfiles, type ExportOptions } from './profiles-transfer.ts'
import type { Command } from 'commander'
import { testFileOf, testRunners } from '../../analysis/test-file/test-file.ts'
import { setTimeout } from 'node:timers/promises'
import type { Engine } from '../../stores/engine.ts'
import { isEngineError } from '../../stores/engine-error.ts'
import { findings as findingFacts, type ProfileSummary } from '../../observe/profile.ts'
import type { ProfileFilter } from '../../profiles/query/filters.ts'
import { compareMarkdown, readComparison } from '../../analysis/compare/compare.ts'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fieldOf, helpWith, parameterOf, type ReplayHelp } from '../../analysis/replay/ask-replay.ts'
import { type ReplayRefusal, replayMarkdown } from '../../analysis/replay/replay.ts'

export function registerProfiles(program: Command, cli: Cli): void {
  const profiles = program.command('profiles').description('inspect, export and remove profiles')
  withFilters(withJson(profiles.command('list')).description('list profiles, newest first'))
    .option('--limit <count>', '1 to 200 (default: 25)')
    .option('--after <cursor>', 'the page after this cursor')
    .option('--sort <what>', `${profileOrders.join(', ')} (default: newest)`)
    .action((options: ProfileListOptions) => listProfiles(cli, options))
  withFilters(profiles.command('tail').description('print new profiles until stopped'))
    .option('--json', 'print one JSON object a line')
    .option('--last <count>', 'begin with the last ones that match, 0 to 200 (default: 10)')
    .action((options: ProfileTailOptions) => tailProfiles(cli, options))
  registerQuestions(profiles, cli, 'profiles')
  withJson(profiles.command('show'))
    .description('show one profile')
    .argument('<token>', 'token of the profile, or "latest"')
    .option('--panel <name>', 'the data of one collector as JSON: request, exception …')
    .action((token: string, options: ProfileShowOptions) =>
      cli.withEngine((engine) => showProfile(cli, engine, token, options)),
    )
  for (const [name, description] of [
    ['pause', 'record nothing more, in every process that shares the store'],
    ['resume', 'record again'],
  ] as const) {
    withJson(profiles.command(name))
      .description(description)
      .action((options: { readonly json?: true }) => pauseRecording(cli, name, options))
  }
  withJson(profiles.command('compare'))
    .description('compare two profiles, or one with the median of the last 50 of its route')
    .argument('<a>', 'token of a profile, or "latest"')
    .argument('<b>', 'token of what it is compared with, or "median"')
    .action((a: string, b: string, options: { readonly json?: true }) => compareProfiles(cli, [a, b], options))
  registerReplay(profiles, cli)
  profiles
    .command('export')
    .description('export one profile and its sub-requests to a file, masked again')
    .argument('<token>', 'token of the profile, or "latest"')
    .option('--html <file>', 'one page that opens offline and can be imported')
    .option('--json [file]', 'as JSON that can be imported (default form; without a file: standard output)')
    .option('--markdown [file]', 'as Markdown')
    .option('--otlp [file]', 'as a trace of OpenTelemetry, in JSON')
    .option('--preview', 'list what is masked, and write nothing')
    .option('--force', 'overwrite an existing file')
    .action((token: string, options: ExportOptions) =>
      cli.withEngine((engine) => exportProfile(cli, engine, token, options)),
    )
  registerProfilesTest(profiles, cli)
  withJson(profiles.command('import'))
    .description('import profiles that were exported elsewhere')
    .argument('<file>', 'JSON or HTML that "profiles export" wrote')
    .action((file: string, options: { readonly json?: true }) =>
      cli.withEngine((engine) => importProfiles(cli, engine, file, options)),
    )
  withJson(profiles.command('purge'))
    .description('remove all profiles, or those before an instant')
    .option('--all', 'remove every profile')
    .option('--before <instant>', 'remove those before this instant or day')
    .action((options: PurgeOptions) => purgeProfiles(cli, options))
  withJson(profiles.command('sign'))
    .description('make the header that has a request recorded (APP_RECORD_SECRET)')
    .option('--for <time>', 'how long it is valid: 90s, 10m, 2h (default: 10m, at most 24h)')
    .option('--path <path>', 'for this path and all below only (default: every path)')
    .action((options: SignOptions) => signRecording(cli, options))
  withPlace(withJson(profiles.command('status')))
    .description('show the profiler status of the running application')
    .action((options: StatusOptions) => printStatus(cli, options))
}

/** A pause that is there already keeps its time. */
async function pauseRecording(cli: Cli, name: 'pause' | 'resume', options: { readonly json?: true }): Promise<void> {
  const pause = await cli.withEngine(async (engine) => {
    const wanted = name === 'resume' ? null : ((await engine.pause.read()) ?? pauseNow(cli.now()))
    await engine.pause.write(wanted)
    return wanted
  })
  if (options.json === true) return cli.terminal.json({ pause })
  cli.terminal.lines([pause === null ? 'Requests are recorded again.' : visibleLine(pauseSentence(pause))])
}

/** Prints the differences as Markdown, or all of it as JSON. Throws a CliError (3) for a profile that is not there. */
async function compareProfiles(
  cli: Cli,
  [a, b]: readonly [string, string],
  options: { readonly json?: true },
): Promise<void> {
  const { read, missing } = await cli.withEngine(async (engine) => {
    const profiles = new NotedReads(engine.profiles)
    return { read: await readComparison(profiles, a, b), missing: profiles.missing }
  })
  cli.noteMissing(missing)
  if (read.state === 'missing') throw new CliError(read.problem, exitCodes.notFound)
  if (options.json === true) cli.terminal.json({ a: read.a, b: read.b, ...read.comparison, missing })
  else cli.terminal.markdown(compareMarkdown(read))
}

interface PurgeOptions {
  readonly all?: true
  readonly before?: string
  readonly json?: true
}

/** Removes profiles and says how many. Throws a usage error unless exactly one of `--all` and `--before` is given. */
async function purgeProfiles(cli: Cli, options: PurgeOptions): Promise<void> {
  if ((options.all === undefined) === (options.before === undefined)) {
    throw new CliError('name --all or --before <instant>', exitCodes.usage)
  }
  const { since: before } = options.before === undefined ? {} : readOption('--before', 'since', options.before)
  const removed = await cli.withEngine(({ profiles }) => profiles.purge(before))
  if (options.json === true) return cli.terminal.json({ removed })
  cli.terminal.lines([`${countOf(removed, 'profile')} removed.`])
}

interface SignOptions {
  readonly for?: string
  readonly path?: string
  readonly json?: true
}

/** Prints the header, until when it counts, and a command that sends it. Throws a CliError without a secret. */
function signRecording(cli: Cli, options: SignOptions): void {
  const { recording, settingPrefix } = cli.context()
  if (recording.signingKey === null) {
    throw new CliError(`${settingPrefix}RECORD_SECRET is not set; without it no application accepts a signed token`)
  }
  const path = options.path ?? '/'
  const expiresAt = cli.now() + readDuration('--for', options.for ?? '10m', maxTokenMs / 1000, 1) * 1000
  const value = signed(path, () => signToken({ expiresAt, path }, recording.signingKey!))
  const expires = new Date(Math.floor(expiresAt / 1000) * 1000).toISOString()
  if (options.json === true) return cli.terminal.json({ header: tokenHeader, value, expires, path })
  const { origin } = ownOrigin(cli.context())
  cli.terminal.lines([
    `${headerName}: ${value}`,
    cli.terminal.tone('quiet', `Valid until ${expires} for ${path === '/' ? 'every path' : `${path} and below`}.`),
    `curl -sS -D - -o /dev/null -H '${headerName}: ${value}' '${origin}${path.replaceAll("'", String.raw`'\''`)}'`,
  ])
}

const headerName = 'X-Debug-Record'

function signed(path: string, sign: () => string): string {
  try {
    return sign()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw usageError('--path', path, `a path as it is sent, from "/", without query, ${maxTokenPath} bytes at most`)
  }
}

interface TestOptions {
  readonly runner?: string
  readonly out?: string
  readonly module: string
  readonly listener?: string
  readonly force?: true
}

function registerProfilesTest(profiles: Command, cli: Cli): void {
  withModule(profiles.command('test'))
    .description('write a test that sends the recorded request and fails until its error is fixed')
    .argument('<token>', 'token of the profile, or "latest"')
    .option('--runner <name>', `${testRunners.join(' or ')} (default: node)`)
    .option(
      '--listener <file>',
      'instead of --module: file whose default export is a listener of node:http, such as an Express application',
    )
    .option('--out <file>', 'where to write it (default: standard output)')
    .option('--force', 'overwrite an existing file')
    .action((token: string, options: TestOptions) => writeTest(cli, token, options))
}

/** Writes the test; what is left to do goes to standard error. Throws a CliError. */
async function writeTest(cli: Cli, token: string, options: TestOptions): Promise<void> {
  const { out: file, listener, module } = options
  const runner = oneOf('--runner', options.runner ?? 'node', testRunners)
  const target =
    listener === undefined
      ? ({ kind: 'module', file: module } as const)
      : ({ kind: 'listener', file: listener } as const)
  const profile = await cli.withEngine(async (engine) => findProfile(cli, engine, token))
  const test = testFileOf(profile, { runner, target, file }, cli.cwd)
  if (test.state === 'impossible')
    throw new CliError(`no test can be written from profile ${profile.token}: ${test.problem}`)
  if (file === undefined) cli.terminal.lines([test.code.trimEnd()])
  else writeNew(cli, { file, content: test.code, mayReplace: options.force === true })
  for (const remark of test.remarks) cli.terminal.error(visibleLine(remark))
  if (test.missing.length > 0) {
    cli.terminal.error(`Fill in what the recording does not have: ${visibleLine(test.missing.join(', '))}.`)
  }
}

interface ProfileTailOptions extends ProfileFilterOptions {
  readonly last?: string
  readonly json?: true
}

const pollMs = 300
/** Profiles that are read at a time. */
const pageLength = 200

/** Prints the last few profiles and every new one, oldest first, until the process is told to stop. Throws usage errors. */
async function tailProfiles(cli: Cli, options: ProfileTailOptions): Promise<void> {
  const last = options.last === undefined ? 10 : wholeNumber('--last', options.last, 0, pageLength)
  const filter = toFilter(options)
  const print = (profile: ProfileSummary): void =>
    options.json === true ? cli.terminal.json(profile, 0) : printLine(cli.terminal, profile)
  await cli.withEngine(async (engine) => {
    const stop = cli.stopSignal()
    const begun = await engine.profiles.find(filter, { limit: Math.max(1, last) })
    for (const profile of begun.items.slice(0, last).toReversed()) print(profile)
    let cursor = begun.newest
    let told = ''
    const tell = (problem: string): void => {
      if (problem !== told) cli.terminal.error(problem === '' ? 'The whole store is reachable again.' : problem)
      told = problem
    }
    tell(problemOf(begun))
    while (!stop.aborted) {
      await setTimeout(pollMs, undefined, { signal: stop }).catch(() => undefined)
      try {
        const { profiles, newest, problem } = await newerThan(engine, filter, cursor)
        for (const profile of profiles) print(profile)
        tell(problem)
        cursor = newest
      } catch (error) {
        if (!isEngineError(error) || error.code !== 'ERR_STORE_UNAVAILABLE') throw error
        tell(error.message)
      }
    }
  })
}

function problemOf({ missing }: ProfilePage): string {
  return missing === undefined ? '' : missingSentence(missing)
}

/** All that came after a cursor, oldest first. */
async function newerThan(
  { profiles }: Engine,
  filter: ProfileFilter,
  cursor: string,
): Promise<{ readonly profiles: readonly ProfileSummary[]; readonly newest: string; readonly problem: string }> {
  const first = await profiles.find(filter, { newerThan: cursor, limit: pageLength })
  const found = [...first.items]
  for (let after = first.next; after !== null;) {
    const page = await profiles.find(filter, { newerThan: cursor, limit: pageLength, after })
    found.push(...page.items)
    after = page.next
  }
  return { profiles: found.reverse(), newest: first.newest, problem: problemOf(first) }
}

/** `10:02:11  404    12.3 ms  GET     4f7k2m9qx0ab  http://…  NotFoundHttpError, slow`, cut to the terminal. */
function printLine(terminal: Terminal, profile: ProfileSummary): void {
  const { time, status, durationMs, method, errorClass, findings, token } = profile
  const marks = findings.map((name) => `${name === 'error' ? '✗ ' : ''}${findingFacts[name][0]}`)
  const said = [...(errorClass === null ? [] : [errorClass]), ...marks].join(', ')
  const line = visibleLine(
    [
      isoTime(time).slice(11, 19),
      (status === 0 ? '–' : statusMark(profile)).padStart(3),
      `${durationMs.toFixed(1)} ms`.padStart(11),
      method.slice(0, 7).padEnd(7),
      token.padEnd(16),
      subjectOf(profile),
      ...(said === '' ? [] : [said]),
    ].join('  '),
  )
  const tone = findings.includes('error') ? 'bad' : statusTone(profile)
  // A line of output that goes elsewhere is not cut.
  const shown = terminal.columns === undefined ? line : cutToColumns(line, terminal.columns)
  terminal.lines([tone === 'good' ? shown : terminal.tone(tone, shown)])
}

interface StatusOptions {
  readonly at?: string
  readonly json?: true
}

/** How long the application may take, in milliseconds. */
const budgetMs = 3000

/** Throws a CliError (3) where no profiler responds. */
async function printStatus(cli: Cli, options: StatusOptions): Promise<void> {
  const { url: profiler, cookie } = runningProfiler(cli, options.at)
  const page = new URL(`${profiler.pathname}/status.${options.json === true ? 'json' : 'md'}`, profiler)
  // The time is up for what has no end, too.
  const signal = AbortSignal.timeout(budgetMs)
  const headers = cookie === undefined ? {} : { cookie }
  const response = await fetch(page, { headers, redirect: 'manual', signal }).catch(() => undefined)
  const isOurs = /^(?:application\/json|text\/markdown)\b/.test(response?.headers.get('content-type') ?? '')
  if (response?.status !== 200 || !isOurs) {
    const problem = response === undefined ? 'does not respond' : `responded with ${response.status}`
    throw new CliError(`${profiler.origin} ${problem}; the status is that of a running application`, exitCodes.notFound)
  }
  if (options.json === true) cli.terminal.json(await response.json())
  else cli.terminal.markdown(await response.text())
}

interface ReplayOptions {
  readonly header?: readonly string[]
  readonly query?: readonly string[]
  readonly body?: string
  readonly withoutMasked?: true
  readonly yes?: true
  readonly values?: true
  readonly compare?: true
  readonly at?: string
  readonly json?: true
}

export function registerReplay(profiles: Command, cli: Cli): void {
  const gather = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
  withPlace(withJson(profiles.command('replay')))
    .description('have the running application send a recorded request again, and compare the two')
    .argument('<token>', 'token of the profile, or "latest"')
    .option(
      '--header <field>',
      'replace a header: "Accept: text/html"; without a value it is left out; repeatable',
      gather,
    )
    .option('--query <parameter>', 'replace a parameter: "page=2"; repeatable', gather)
    .option('--body <text>', 'replace the body; "@file" reads it from a file')
    .option('--without-masked', 'leave out what was masked when it was recorded')
    .option('--yes', 'send a method that may change something')
    .option('--values', 'send it twice, and show the lines that it ran with their values')
    .option('--compare', 'show the differences to the recorded request')
    .action((token: string, options: ReplayOptions) => replayProfile(cli, token, options))
}

async function replayProfile(cli: Cli, token: string, options: ReplayOptions): Promise<void> {
  const { header = [], query = [], body } = options
  const order = {
    token,
    headers: header.map(
      (text) => fieldOf(text) ?? refuse('--header', text, 'a name, a colon and a value: "Accept: text/html"'),
    ),
    query: query.map(
      (text) => parameterOf(text) ?? refuse('--query', text, 'a name, an equals sign and a value: "page=2"'),
    ),
    ...(body === undefined ? {} : { body: bodyOf(cli, body) }),
    values: options.values === true,
    withoutMasked: options.withoutMasked === true,
    isConfirmed: options.yes === true,
  }
  const answer = await replayHere(cli, options.at, order)
  if (answer.state === 'refused') throw refused(answer)
  const { report } = answer
  if (options.json === true) cli.terminal.json(report)
  else cli.terminal.markdown(replayMarkdown(report, { isCompared: options.compare === true }))
  if (report.run.problem !== null) throw new CliError(visibleLine(report.run.problem))
}

function refuse(option: string, text: string, use: string): never {
  throw usageError(option, text, use)
}

function bodyOf({ cwd }: Cli, text: string): string {
  if (!text.startsWith('@')) return text
  try {
    return readFileSync(resolve(cwd, text.slice(1)), 'utf8')
  } catch {
    throw usageError('--body', text, 'a text, or "@" and a file that can be read')
  }
}

const codes: Readonly<Record<ReplayRefusal['reason'], ExitCode>> = {
  gone: exitCodes.notFound,
  unreachable: exitCodes.notFound,
  incomplete: exitCodes.usage,
  invalid: exitCodes.usage,
  unconfirmed: exitCodes.usage,
  impossible: exitCodes.failed,
  elsewhere: exitCodes.failed,
}

const options: Readonly<Record<ReplayHelp, string>> = {
  headers: '--header',
  query: '--query',
  body: '--body',
  withoutMasked: '--without-masked',
  confirm: '--yes',
}

/** Says which options help. */
function refused(refusal: ReplayRefusal): CliError {
  const help = helpWith(refusal).map((name) => options[name])
  const said = help.length === 0 ? '' : ` Options: ${help.join(', ')}.`
  return new CliError(`${refusal.problem}${said}`, codes[refusal.reason])
}
