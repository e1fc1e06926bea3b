// `fanlight run -- <program> [args…]`: runs any program, and in debug keeps a profile of the run.

import { performance } from 'node:perf_hooks'
import { Redactor } from '../../framework/redact/redactor.ts'
import { packageVersion } from '../../framework/config/own-package.ts'
import type { RuntimeContext } from '../../framework/config/runtime-context.ts'
import type { Engine } from '../../stores/engine.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes, ProgramEnd } from '../exit-codes.ts'
import { programProfiles, type RunFacts } from './program-profile.ts'
import { RecordFolder } from './record-folder.ts'
import { shellExitCode, startProgram, type ProgramOutcome } from './start-program.ts'

/** How a program is run. */
export interface RunProgramOptions {
  /** Keep a bounded part of what it writes. */
  readonly output: boolean
}

/**
 * Runs it with the terminal of this process. Ends as it ends: throws a `ProgramEnd` with its exit code, or a CliError where it
 * could not be started. A profile that cannot be kept is a line on standard error, and no failure.
 */
export async function runProgram(
  cli: Cli,
  [file, ...args]: readonly [string, ...string[]],
  { output }: RunProgramOptions,
): Promise<void> {
  const outcome = cli.context().debug
    ? await recorded(cli, file, args, output)
    : await startProgram({ file, args, cwd: cli.cwd, env: { ...cli.env }, keepsOutput: false })
  const { startFailure } = outcome
  if (startFailure !== null) {
    const reason = startFailure === 'ENOENT' ? 'there is no such program' : startFailure
    const exitCode = startFailure === 'ENOENT' ? exitCodes.notFound : exitCodes.failed
    throw new CliError(`${JSON.stringify(file.slice(0, 200))} cannot be started: ${reason}`, exitCode)
  }
  const exitCode = shellExitCode(outcome)
  if (exitCode !== 0) throw new ProgramEnd(exitCode)
}

async function recorded(
  cli: Cli,
  file: string,
  args: readonly string[],
  keepsOutput: boolean,
): Promise<ProgramOutcome> {
  using folder = new RecordFolder()
  const startedAt = Date.now()
  const startedMs = performance.now()
  const env = folder.environment({ ...cli.env })
  const outcome = await startProgram({ file, args, cwd: cli.cwd, env, keepsOutput })
  const durationMs = performance.now() - startedMs
  const records = folder.read(outcome.processId)
  try {
    const token = await cli.withEngine(async (engine) => {
      const facts = runFacts(cli.context(), engine)
      const ended = { file, args, startedAt, durationMs, outcome, records, facts }
      const profiles = programProfiles(ended, new Redactor())
      await engine.profiles.write(profiles)
      return profiles[0].token
    })
    cli.terminal.error(`profile ${token}: fanlight profiles show ${token}`)
  } catch (error) {
    cli.terminal.error(`the profile of the run was not kept: ${error instanceof Error ? error.message : String(error)}`)
  }
  return outcome
}

function runFacts({ version, env, debug }: RuntimeContext, { name }: Engine): RunFacts {
  const platform = `${process.platform} ${process.arch}`
  return { version, fanlight: packageVersion(), platform, environment: env, debug, store: name }
}
