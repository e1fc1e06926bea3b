// Runs the command line: in this process with captured output, or as a child process as a user would.

import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cli, type CliOptions } from '../../src/cli/cli.ts'
import { runCli } from '../../src/cli/executable.ts'
import { Terminal } from '../../src/cli/terminal.ts'
import type { ProfileStore } from '../../src/profiles/profile-store.ts'
import type { Engine } from '../../src/stores/engine.ts'
import { keepsOld } from './profiles.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { compiledCode } from './compiled-code.ts'
import { removeDirectory } from './temporary-directory.ts'

/** What came of a run. */
export interface CliRun {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder with its own store; `await using` removes it. */
export interface CliFolder extends AsyncDisposable {
  readonly path: string
  readonly env: Readonly<Record<string, string>>
  /** The store, open until the folder goes away. */
  engine(): Promise<Engine>
  /**
   * Runs in this process on that open store, and on others where the command names them; the executable opens it anew. With `columns` the
   * output goes to a terminal of that width, `env` adds variables.
   */
  run(args: readonly string[], terminal?: RunSurroundings): Promise<CliRun>
  /** Runs the executable. */
  spawn(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CliRun>
}

export interface RunSurroundings {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  /** Default: never aborted. */
  readonly stopSignal?: AbortSignal
}

/** The instant that runs in this process take for now. */
export const cliNow = '2026-11-21T10:00:00.000Z'

/** Makes a folder whose store is a SQLite file in it. Runs in this process see its profiles through `profilesOf`. */
export async function cliFolder(
  profilesOf: (profiles: ProfileStore) => ProfileStore = (profiles) => profiles,
): Promise<CliFolder> {
  const path = await mkdtemp(join(tmpdir(), 'fanlight-cli-'))
  const env = { APP_ENV: 'dev', APP_STORE: `sqlite:${join(path, 'fanlight.db')}`, ...compiledCode }
  let opened: Promise<Engine> | undefined
  const engine = (): Promise<Engine> => (opened ??= openEngine(env.APP_STORE, keepsOld))
  const openStore: typeof openEngine = async (address, options) => {
    if (address !== env.APP_STORE) return openEngine(address, options)
    const open = await engine()
    return { ...open, profiles: profilesOf(open.profiles), close: async () => undefined }
  }
  return {
    path,
    env,
    engine,
    run: (args, { env: more = {}, ...surroundings } = {}) =>
      runHere(args, { cwd: path, env: { ...env, ...more }, openStore }, surroundings),
    spawn: (args, more = {}) => runExecutable(args, path, { ...env, ...more }),
    async [Symbol.asyncDispose]() {
      await (await opened)?.close()
      await removeDirectory(path)
    },
  }
}

async function runHere(
  args: readonly string[],
  surroundings: Pick<CliOptions, 'cwd' | 'openStore'> & { env: Readonly<Record<string, string>> },
  { columns, stopSignal }: Omit<RunSurroundings, 'env'>,
): Promise<CliRun> {
  const written = { stdout: '', stderr: '' }
  const terminal = new Terminal({
    stdout: {
      write: (text) => (written.stdout += text),
      isTTY: columns !== undefined,
      ...(columns === undefined ? {} : { columns }),
    },
    stderr: { write: (text) => (written.stderr += text) },
    env: surroundings.env,
  })
  const stopping = stopSignal === undefined ? {} : { stopSignal: () => stopSignal }
  const cli = new Cli({ terminal, ...surroundings, ...stopping, now: () => Date.parse(cliNow) })
  const exitCode = await runCli(args, cli)
  return { exitCode, ...written }
}

function runExecutable(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<CliRun> {
  const main = join(import.meta.dirname, '../../src/cli/main.ts')
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [main, ...args], { cwd, env: { ...env } }, (error, stdout, stderr) => {
      const exitCode = child.exitCode
      if (exitCode === null) reject(error ?? new Error('the process ended without an exit code'))
      else resolve({ exitCode, stdout, stderr })
    })
    child.stdin?.end()
  })
}
