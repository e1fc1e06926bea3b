// Makes the profiles of a program that was run: one of the program, and one of each Node process that it started.

import { maskArgs, commandMethod, type CommandData, type ProgramUsage } from '../../profiler/collectors/command.ts'
import { holdWithinBound, type Part } from '../../profiler/collect-data.ts'
import { toProfile } from '../../profiler/assemble-profile.ts'
import type { Profile, ProfileSummary } from '../../profiler/profile.ts'
import { TokenSource } from '../../profiler/token.ts'
import type { Note } from '../../recording/recording.ts'
import type { Redactor } from '../../redact/redactor.ts'
import { usageName, type ProgramRecords } from './record-folder.ts'
import type { ProgramOutcome } from './start-program.ts'

/** What is known when a program has ended. */
export interface EndedProgram {
  readonly file: string
  readonly args: readonly string[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  readonly outcome: ProgramOutcome
  readonly records: ProgramRecords
}

/** The profiles, that of the program first. Nothing in them is unmasked. */
export function programProfiles(ended: EndedProgram, redactor: Redactor): readonly [Profile, ...Profile[]] {
  const { file, args, outcome, records } = ended
  const name = programName(file, args, redactor)
  const others = records.others.map((profile) => ({ ...profile, childTokens: [] }))
  const token = new TokenSource().create()
  const succeeded = outcome.exitCode === 0
  const { own } = records
  const summary: ProfileSummary = {
    token,
    parentToken: null,
    childTokens: others.map((other) => other.token),
    method: commandMethod,
    url: `http://command/${encodeURIComponent(name)}`,
    route: null,
    status: succeeded ? 200 : 500,
    ip: '',
    time: ended.startedAt,
    durationMs: ended.durationMs,
    errorClass: own?.errorClass ?? null,
    handler: name,
    logErrorCount: own?.logErrorCount ?? 0,
    logCount: own?.logCount ?? 0,
  }
  const parts = [commandPart(ended, redactor), ...innerParts(own)]
  const profile = toProfile(summary, holdWithinBound({ parts, notes: notesOf(own) }), leftOutNotes(records))
  return [profile, ...others.map((other) => subProfile(other, token, name))]
}

function commandPart({ file, args, outcome, records }: EndedProgram, redactor: Redactor): Part {
  const { exitCode, signal, startFailure, output } = outcome
  const data: CommandData = {
    name: redactor.text(file),
    args: maskArgs(args, redactor),
    exitCode,
    program: {
      signal,
      startFailure,
      isRecordedInside: records.own !== undefined,
      usage: usageOf(records.own),
      output: output === null ? null : { stdout: output.stdout.kept(redactor), stderr: output.stderr.kept(redactor) },
    },
  }
  return { collector: { name: 'command' }, data }
}

/** What the program noted of itself: masked and bounded there. */
function innerParts(own: Profile | undefined): readonly Part[] {
  const parts = Object.entries(own?.data ?? {}).filter(([name]) => name !== 'notes' && name !== usageName)
  return parts.map(([name, data]) => ({ collector: { name }, data }))
}

function notesOf(own: Profile | undefined): readonly Note[] {
  const notes = own?.data['notes']
  // A record is written by the recorder alone.
  return Array.isArray(notes) ? (notes as readonly Note[]) : []
}

function usageOf(own: Profile | undefined): ProgramUsage | null {
  return (own?.data[usageName] as ProgramUsage | undefined) ?? null
}

function leftOutNotes({ leftOut }: ProgramRecords): readonly Note[] {
  return leftOut === 0
    ? []
    : [{ source: 'recording', message: `The records of ${leftOut} more processes of the program were left out.` }]
}

/** A process that the program started: how it ended is not known, what it threw is. */
function subProfile(profile: Profile, parentToken: string, name: string): Profile {
  const status = profile.errorClass === null ? 200 : 500
  const data: CommandData = { name: `process of ${name}`, args: [], exitCode: null }
  const { [usageName]: usage, ...kept } = profile.data
  const program = { signal: null, startFailure: null, isRecordedInside: true, usage: usageOf(profile), output: null }
  void usage
  return {
    ...profile,
    parentToken,
    status,
    url: `http://command/${encodeURIComponent(data.name)}`,
    handler: data.name,
    data: { command: { ...data, program }, ...kept },
  }
}

/** `node import.ts`: the program and its first argument that is no option, for lists. */
function programName(file: string, args: readonly string[], redactor: Redactor): string {
  const words = [baseName(file), args.find((arg) => !arg.startsWith('-')) ?? '']
  return redactor.text(words.join(' ').trim()).replace(/\s+/g, ' ').slice(0, 100)
}

function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file
}
