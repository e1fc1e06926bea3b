// `fanlight run`: runs a command of the application, or after `--` any program; in debug recorded like a request.

import type { Command } from 'commander'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import type { Cli } from '../cli.ts'
import { withModule, CliError, exitCodes } from '../command.ts'
import { withStoredApp } from '../front-controller.ts'
import { performance } from 'node:perf_hooks'
import { Redactor } from '../../base/redact/redactor.ts'
import { packageVersion } from '../../base/own-package.ts'
import type { RuntimeContext } from '../../http/config/runtime-context.ts'
import type { Engine } from '../../stores/engine.ts'
import { RecordFolder, usageName, type ProcessRecord, type ProgramRecords } from '../program/record-folder.ts'
import { endAs, startProgram, type ProgramOutcome } from '../program/start-program.ts'
import { maskArgs, type CommandData, type ProgramUsage } from '../../observe/collectors/runs.ts'
import { runMethods, findingNames, noFacts, summaryName } from '../../observe/profile.ts'
import type { Finding, Profile, ProfileSummary } from '../../observe/profile.ts'
import type { ConfigData } from '../../observe/collectors/config.ts'
import { partOf, type Part } from '../../observe/profile-parts.ts'
import { toProfile, endFindings } from '../../profiles/assemble-profile.ts'
import { createToken } from '../../profiles/recorder.ts'
import type { Note } from '../../http/recording/recording.ts'
import { countOf } from '../../base/html/page-budget.ts'

export function registerRun(program: Command, cli: Cli, words: readonly string[]): void {
  withModule(program.command('run'))
    .usage('[options] <name> [args...]\n       fanlight run -- <program> [args...]')
    .description(
      'run a command of the application, or any program after --; in debug its profile is stored. Exits with 1 if a command\nfails, and with the exit code of the program',
    )
    .argument('<name>', 'name of the command, from the "commands" option of createApp()')
    .argument('[args...]', 'passed on unchanged; put -- before arguments that start with a dash')
    .action((name: string, args: readonly string[], { module }: { readonly module: string }) => {
      // Everything to run comes after `--`.
      if (words.at(-2 - args.length) === '--') return runProgram(cli, [name, ...args])
      return runCommand(cli, module, name, args)
    })
}

async function runCommand(cli: Cli, module: string, name: string, args: readonly string[]): Promise<void> {
  await withStoredApp(cli, module, name, async (app) => {
    const { commandNames } = app
    if (!commandNames.includes(name)) {
      const known = commandNames.length === 0 ? 'the application has none' : `there are: ${commandNames.join(', ')}`
      throw new CliError(`there is no command ${JSON.stringify(name.slice(0, 60))}; ${known}`, exitCodes.notFound)
    }
    const { exitCode, token, failure } = await app.runCommand(name, args)
    if (token !== null) cli.terminal.error(`profile ${token}: fanlight profiles show ${token}`)
    if (failure !== null) {
      const { errorClass, message } = describeFailure(failure.thrown)
      throw new CliError(`${name} failed: ${errorClass}: ${message}`)
    }
    if (exitCode !== 0) throw new CliError(`${name} exited with ${exitCode}`)
  })
}

/**
 * Runs it with the terminal of this process. Ends as it ends: throws a `ProgramEnd` with its exit code, or a CliError where it
 * could not be started. A profile that cannot be kept is a line on standard error, and no failure.
 */
export async function runProgram(cli: Cli, [file, ...args]: readonly [string, ...string[]]): Promise<void> {
  const outcome = cli.context().debug
    ? await recorded(cli, file, args)
    : await startProgram({ file, args, cwd: cli.cwd, env: { ...cli.env } }).ended
  endAs(file, outcome)
}

async function recorded(cli: Cli, file: string, args: readonly string[]): Promise<ProgramOutcome> {
  // Not `using`: sources run unbuilt on Node 22, too.
  const folder = new RecordFolder()
  try {
    const startedAt = Date.now()
    const startedMs = performance.now()
    const env = folder.environment({ ...cli.env })
    const outcome = await startProgram({ file, args, cwd: cli.cwd, env }).ended
    const durationMs = performance.now() - startedMs
    await keep(cli, { file, args, startedAt, durationMs, outcome, records: folder.read(outcome.processId) })
    return outcome
  } finally {
    folder.remove()
  }
}

async function keep(cli: Cli, ended: Omit<EndedProgram, 'facts'>): Promise<void> {
  try {
    const token = await cli.withEngine(async (engine) => {
      const profiles = programProfiles({ ...ended, facts: runFacts(cli.context(), engine) }, new Redactor())
      await engine.profiles.write(profiles)
      return profiles[0].token
    })
    cli.terminal.error(`profile ${token}: fanlight profiles show ${token}`)
  } catch (error) {
    cli.terminal.error(
      `the profile of the run was not stored: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function runFacts({ version, service, env, debug }: RuntimeContext, { name }: Engine): RunFacts {
  const platform = `${process.platform} ${process.arch}`
  return { version, service, fanlight: packageVersion(), platform, environment: env, debug, store: name }
}

interface EndedProgram {
  readonly file: string
  readonly args: readonly string[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  readonly outcome: ProgramOutcome
  readonly records: ProgramRecords
  readonly facts: RunFacts
}

/** What of the configuration is known of a program of any kind: the folder's, as `fanlight run` reads it. */
type RunFacts = Pick<ConfigData, 'version' | 'service' | 'fanlight' | 'platform' | 'environment' | 'debug' | 'store'>

/** The profiles, that of the program first. Nothing in them is unmasked. */
function programProfiles(ended: EndedProgram, redactor: Redactor): readonly [Profile, ...Profile[]] {
  const { file, args, outcome, records } = ended
  const name = programName(file, args, redactor)
  const token = createToken()
  const { others } = records
  const own = records.own?.profile
  const result = {
    status: outcome.exitCode === 0 ? 200 : 500,
    durationMs: ended.durationMs,
    errorClass: own?.errorClass ?? null,
    logErrorCount: own?.logErrorCount ?? 0,
  }
  const summary: ProfileSummary = {
    token,
    ...noFacts,
    childTokens: others.map((other) => other.profile.token),
    method: runMethods.command,
    url: `http://command/${encodeURIComponent(name)}`,
    ...result,
    ip: '',
    time: ended.startedAt,
    handler: name,
    logCount: own?.logCount ?? 0,
    tags: own?.tags ?? [],
    findings: findingsOf(result, own),
    errorFamily: own?.errorFamily ?? null,
    errorMessage: own?.errorMessage ?? null,
    traceId: own?.traceId ?? null,
    version: summaryName(ended.facts.version),
    service: summaryName(ended.facts.service),
    ownCpuMs: own?.ownCpuMs ?? null,
    queryCount: own?.queryCount ?? null,
  }
  const config = partOf('config', ended.facts)
  const parts = [commandPart(ended, redactor), ...innerParts(own), config]
  const notes = [...leftOutNotes(records), ...notesOf(own)]
  const profile = toProfile(summary, { parts, notes }, redactor)
  return [profile, ...others.map((other) => subProfile(other, ended.facts, token, name))]
}

function commandPart(ended: EndedProgram, redactor: Redactor): Part {
  const { file, args, outcome, records } = ended
  const { exitCode, signal, startFailure } = outcome
  const data: CommandData = {
    name: redactor.text(file),
    args: maskArgs(args, redactor),
    exitCode,
    program: {
      signal,
      startFailure,
      isRecordedInside: records.own !== undefined,
      unrecordedMs: unrecordedMs(ended),
      usage: (records.own?.profile.data[usageName] as ProgramUsage | undefined) ?? null,
    },
  }
  return partOf('command', data)
}

/** From the last that it told to its end. */
function unrecordedMs({ startedAt, durationMs, records: { own } }: EndedProgram): number {
  if (own === undefined || own.isFinished) return 0
  return Math.max(0, startedAt + durationMs - (own.profile.time + own.profile.durationMs))
}

/** What the program noted of itself: masked and bounded there. */
function innerParts(own: Profile | undefined): readonly Part[] {
  const parts = Object.entries(own?.data ?? {}).filter(([name]) => name !== 'notes' && name !== usageName)
  return parts.map(([name, data]) => partOf(name, data))
}

function notesOf(own: Profile | undefined): readonly Note[] {
  const notes = own?.data['notes']
  // A record is written by the recorder alone.
  return Array.isArray(notes) ? (notes as readonly Note[]) : []
}

function leftOutNotes({ leftOut }: ProgramRecords): readonly Note[] {
  return leftOut === 0
    ? []
    : [
        {
          source: 'recording',
          message: `The records of ${countOf(leftOut, 'process', 'processes')} that the program started were left out.`,
        },
      ]
}

/** A process that the program started: of how it ended it is known what it threw, and whether it ended by itself. */
function subProfile(
  { profile, isFinished }: ProcessRecord,
  config: RunFacts,
  parentToken: string,
  name: string,
): Profile {
  const status = isFinished && profile.errorClass === null ? 200 : 500
  const data: CommandData = { name: `process of ${name}`, args: [], exitCode: null }
  const { [usageName]: usage, ...kept } = profile.data
  const program = { signal: null, startFailure: null, isRecordedInside: true, usage: usage ?? null }
  return {
    ...profile,
    findings: findingsOf({ ...profile, status }, profile),
    version: summaryName(config.version),
    service: summaryName(config.service),
    parentToken,
    childTokens: [],
    status,
    url: `http://command/${encodeURIComponent(data.name)}`,
    handler: data.name,
    data: {
      command: { ...data, program },
      ...kept,
      config,
      notes: isFinished ? notesOf(profile) : [...notesOf(profile), unfinished],
    },
  }
}

/** What the end of a program says, and what it noted itself of anything else. */
function findingsOf(ended: Parameters<typeof endFindings>[0], own: Profile | undefined): readonly Finding[] {
  const found = endFindings(ended)
  return findingNames.filter(
    (name) => found.includes(name) || (name !== 'error' && name !== 'slow' && own?.findings.includes(name) === true),
  )
}

const unfinished: Note = {
  source: 'recording',
  message: 'It did not end by itself: a signal ended it, or it outlived the program. Its last moment is not recorded.',
}

/** Options of shells and of Node that are followed by code in place of a file name. */
const codeOptions: ReadonlySet<string> = new Set(['-c', '-e', '--eval', '-p', '--print'])

/** `node import.ts`, `sh -c exit 3`: the program and its first argument that is not an option, for lists. */
function programName(file: string, args: readonly string[], redactor: Redactor): string {
  const index = args.findIndex((arg) => !arg.startsWith('-'))
  const before = args[index - 1] ?? ''
  const words = [file.split(/[\\/]/).at(-1) ?? file, ...(codeOptions.has(before) ? [before] : []), args[index] ?? '']
  return redactor.text(words.join(' ').trim()).replace(/\s+/g, ' ').slice(0, 100)
}
