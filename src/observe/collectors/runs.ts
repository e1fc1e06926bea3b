// Runs that are no requests: of a command, of a job of a queue, and of a task of a schedule.

import { constants } from 'node:os'
import { formatBytes, formatCount, formatDuration, counted } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { quotePosix } from '../../base/markdown-text.ts'
import { type Blocks, type Line, facts, note, type Inline, heading, text, value, table } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import type { Redactor, DumpedValue } from '../../base/redact/redactor.ts'
import type { KeptName } from '../../http/recording/recording.ts'

export const commandName: KeptName<CommandData> = 'command'

export interface CommandData {
  readonly name: string
  /** In their order, masked. */
  readonly args: readonly string[]
  /** 0 for success; `null` while it runs, and for a program that a signal ended or that could not be started. */
  readonly exitCode: number | null
  /** There for a program outside the application. */
  readonly program?: ProgramData
}

/** What is known of a program that was started and watched from outside. */
interface ProgramData {
  readonly signal: string | null
  /** Why it could not be started: `ENOENT`. */
  readonly startFailure: string | null
  /** Whether it told what it did inside: a Node program of version 22.18 or later. */
  readonly isRecordedInside: boolean
  /** Milliseconds before its end of which it told nothing: a signal or a crash ended it. Default 0. */
  readonly unrecordedMs?: number
  /** What it used; of a program that was not recorded inside: not known. */
  readonly usage: ProgramUsage | null
}

/** What a process used. */
export interface ProgramUsage {
  /** Time of all of its threads on processors, in milliseconds. */
  readonly cpuMs: number
  readonly peakMemoryBytes: number
}

/** The arguments with secrets masked: values of options with a telling name, and what looks like a secret. */
export function maskArgs(args: readonly string[], redactor: Redactor): readonly string[] {
  return args.map((arg, index) => {
    const own = /^--?([^=]+)=(.*)$/s.exec(arg)
    if (own !== null)
      return `${arg.slice(0, arg.length - (own[2] ?? '').length)}${maskValue(own[1] ?? '', own[2] ?? '', redactor)}`
    const before = /^--?([^=]+)$/.exec(args[index - 1] ?? '')
    return before === null || arg.startsWith('-') ? redactor.text(arg) : maskValue(before[1] ?? '', arg, redactor)
  })
}

function maskValue(option: string, value: string, redactor: Redactor): string {
  const masked = redactor.record({ [option]: value })[option]
  return typeof masked === 'string' ? masked : JSON.stringify(masked)
}

export const commandPart: DescribedPart<CommandData> = {
  name: 'command',
  title: 'Command',
  of: 'commands',
  empty: 'This is the profile of a request, not of a command.',
  badge: ({ exitCode }) =>
    exitCode === null || exitCode === 0 ? undefined : { count: exitCode, tone: 'error', hint: `exit code ${exitCode}` },
  draw: (data) => [
    facts('Command', [
      ['Command', { code: data.name }],
      ['Arguments', data.args.length === 0 ? 'none' : { code: cutText(words(data).join(' '), 10_000) }],
      data.program === undefined
        ? ['Exit code', data.exitCode === null ? 'still running' : formatCount(data.exitCode)]
        : ['Ended', ending(data.program, data.exitCode)],
      ...usageRows(data.program),
    ]),
    ...(data.program === undefined ? [] : programBlocks(data.program)),
  ],
}

/** Those of a program are quoted where a shell would otherwise take one for more than one word, or for more than text. */
function words({ args, program }: CommandData): readonly string[] {
  return program === undefined ? args : args.map((arg) => (/^[\w@%+=:,./*-]+$/.test(arg) ? arg : quotePosix(arg)))
}

function ending({ signal, startFailure }: ProgramData, exitCode: number | null): Line {
  if (startFailure !== null) return { mark: `could not be started: ${startFailure}`, tone: 'error' }
  if (signal !== null) return { mark: `by the signal ${signal}${signalExit(signal)}`, tone: 'error' }
  return exitCode === null
    ? 'not known'
    : { mark: `with exit code ${exitCode}`, tone: exitCode === 0 ? 'success' : 'error' }
}

/** The exit code that a shell gives for it. */
function signalExit(signal: string): string {
  const number = new Map<string, number>(Object.entries(constants.signals)).get(signal)
  return number === undefined ? '' : `: exit code ${128 + number}`
}

function usageRows(program: ProgramData | undefined): readonly (readonly [string, string])[] {
  if (program?.usage === null || program?.usage === undefined) return []
  const { cpuMs, peakMemoryBytes } = program.usage
  return [
    ['CPU time', formatDuration(cpuMs)],
    ['Peak memory', formatBytes(peakMemoryBytes)],
  ]
}

function programBlocks({ isRecordedInside, unrecordedMs = 0 }: ProgramData): Blocks {
  return [
    note(
      isRecordedInside
        ? 'It ran on Node and was recorded from inside: the other panels show its outgoing requests, queries, warnings and exceptions.'
        : 'It was not recorded from inside; that needs a program that runs on Node 22.18 or later.',
      'neutral',
    ),
    note(
      unrecordedMs !== 0 && `It was killed or crashed, so its last ${formatDuration(unrecordedMs)} is not recorded.`,
    ),
  ]
}

/** What became of a run: `retried` failed and is run again; `moved` left the job in the queue without an end. */
type JobOutcome = 'running' | 'completed' | 'failed' | 'retried' | 'moved'

export const jobName: KeptName<JobData> = 'job'

export interface JobData {
  /** `bullmq` */
  readonly library: string
  readonly queue: string
  readonly name: string
  readonly id: string
  readonly outcome: JobOutcome
  /** Counted from 1; `null` while it is not known. */
  readonly attempt: number | null
  readonly maxAttempts: number | null
  /** When it was added, by the clock of that machine, milliseconds since 1970. */
  readonly addedAt: number | null
  /** Milliseconds between that and its start. */
  readonly waitedMs: number | null
  /** The delay that it was added with, in milliseconds. */
  readonly delayMs: number | null
  /** Until it is run again, in milliseconds; `null` if it is not. */
  readonly retryDelayMs: number | null
  /** Masked. */
  readonly data: DumpedValue | null
  readonly result: DumpedValue | null
  /** Token of the profile that added it. */
  readonly addedBy: string | null
  /** All runs of the job, this one included, oldest first. Known when the profile is read. */
  readonly runs?: readonly JobRun[]
}

/** A run of a job, as profiles that name the job link to it. */
export interface JobRun {
  readonly token: string
  readonly status: number
  readonly durationMs: number
}

/** The name of a run: `mail/welcome`. */
export function jobRunName(queue: string, name: string): string {
  return `${queue}/${name}`
}

/** What tells runs of one name apart: `id=12`. */
export function jobRunQuery(id: string): string {
  return `id=${encodeURIComponent(id)}`
}

export const jobPart: DescribedPart<JobData> = {
  name: 'job',
  title: 'Job',
  of: 'jobs',
  empty: 'This is not the profile of a job.',
  badge: ({ outcome }) =>
    outcome === 'failed' || outcome === 'retried' ? { count: 1, tone: 'error', hint: 'failed' } : undefined,
  draw: (data) => [
    facts('Job', [
      ['Queue', [{ code: data.queue }, { recorded: `(${data.library})` }]],
      ['Job', [{ code: data.name }, 'id', { code: data.id }]],
      ['Ended', jobEnding(data)],
      ['Attempt', attempt(data)],
      ['Added', added(data)],
      ['Added by', data.addedBy === null ? 'no recorded request' : { profile: data.addedBy, panel: 'jobs' }],
    ]),
    ...otherRuns(data.runs ?? []),
    value('Data', data.data, true),
    value('Result', data.result, true),
  ],
}

const endings: Readonly<Record<JobOutcome, Line>> = {
  running: { mark: 'still running' },
  completed: { mark: 'completed', tone: 'success' },
  failed: { mark: 'failed', tone: 'error' },
  retried: { mark: 'failed, runs again', tone: 'error' },
  moved: { mark: 'put back into its queue' },
}

function jobEnding({ outcome, retryDelayMs }: JobData): Line {
  const wait = retryDelayMs === null ? null : retryDelayMs === 0 ? 'at once' : `in ${formatDuration(retryDelayMs)}`
  return [endings[outcome], wait].flat()
}

function attempt({ attempt: count, maxAttempts }: JobData): string {
  if (count === null) return 'not known'
  return `${formatCount(count)}${maxAttempts === null ? '' : ` of ${formatCount(maxAttempts)}`}`
}

function added({ addedAt, waitedMs, delayMs }: JobData): Line {
  if (addedAt === null) return 'not known'
  const wait = waitedMs === null ? null : `${formatDuration(waitedMs)} before this run`
  const delay = delayMs === null || delayMs === 0 ? null : `with a delay of ${formatDuration(delayMs)}`
  return [{ time: addedAt }, wait, delay]
}

function otherRuns(runs: readonly JobRun[]): Blocks {
  return runs.length < 2 ? [] : [heading('All runs of this job'), text(runLinks(runs))]
}

/** The runs of a job, oldest first, with how each ended. */
export function runLinks(runs: readonly JobRun[]): readonly Inline[] {
  return runs.flatMap(({ token, status, durationMs }) => [
    status === 200 ? { mark: 'done', tone: 'success' } : { mark: 'failed', tone: 'error' },
    { profile: token, text: `in ${formatDuration(durationMs)}` },
  ])
}

export const taskName: KeptName<TaskData> = 'task'

export interface TaskData {
  /** `node-cron`, `croner`. */
  readonly library: string
  readonly name: string
  /** As the application wrote it: `*\/5 * * * *`. */
  readonly pattern: string
  /** `invoked`: the application started this run itself. */
  readonly reason: 'scheduled' | 'invoked'
  /** When it was due, milliseconds since 1970; `null` if nothing is known of it. */
  readonly dueAt: number | null
  /** Milliseconds between that and its start. */
  readonly lateMs: number | null
  /** When it is due next; `null`: never. */
  readonly nextAt: number | null
  /** How many runs of the task were still going when this one began. */
  readonly stillRunning: number
  /** Times since the run before it at which the task did not run, oldest first. */
  readonly skipped: readonly SkippedRun[]
  /** Those beyond the limit. */
  readonly skippedMore: boolean
}

/** `overlap`: the run before it was still running. `missed`: the process was busy, or something else delayed it. */
export interface SkippedRun {
  readonly dueAt: number
  readonly reason: 'overlap' | 'missed'
}

export const taskPart: DescribedPart<TaskData> = {
  name: 'task',
  title: 'Task',
  of: 'tasks',
  empty: 'This is not the profile of a scheduled task.',
  badge: ({ skipped }) =>
    skipped.length === 0
      ? undefined
      : { count: skipped.length, tone: 'warning', hint: `${counted(skipped.length, 'run')} skipped before this one` },
  draw: (data) => [
    facts('Task', [
      ['Task', { code: data.name }],
      ['Pattern', [{ code: data.pattern }, { recorded: `(${data.library})` }]],
      ['Started', start(data)],
      ['Next run', data.nextAt === null ? 'none' : { time: data.nextAt }],
    ]),
    note(
      data.stillRunning !== 0 &&
        `${counted(data.stillRunning, 'earlier run')} of the task had not ended when this one began.`,
    ),
    ...skippedRuns(data),
  ],
}

function start({ reason, dueAt, lateMs }: TaskData): Line {
  if (reason === 'invoked') return 'by the application itself'
  if (dueAt === null || lateMs === null) return 'by its schedule'
  return [`${formatDuration(lateMs)} after it was due,`, { time: dueAt }]
}

const reasons: Readonly<Record<SkippedRun['reason'], Line>> = {
  overlap: [{ mark: 'overlap', tone: 'warning' }, 'the run before it had not ended'],
  missed: [{ mark: 'missed', tone: 'error' }, 'the process was busy, or the library did not start it'],
}

function skippedRuns({ skipped, skippedMore }: TaskData): Blocks {
  if (skipped.length === 0) return []
  return [
    heading('Skipped since the run before'),
    table(
      'Times at which the task did not run',
      'run',
      ['Due', 'Why'],
      skipped.map(({ dueAt, reason }) => [{ time: dueAt }, reasons[reason]]),
    ),
    note(skippedMore && 'Later ones were not kept.'),
  ]
}
