// Runs a file as a separate process, as a user would start it, and ends it by a signal.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { compiledCode } from './compiled-code.ts'

const root = join(import.meta.dirname, '../..')

/** A process that has said where it listens. */
export interface RunningProcess {
  readonly url: string
  readonly child: ChildProcess
  /** What it has written so far. */
  readonly output: string
  /** Sends the signal (default SIGTERM), reads the rest of its output, and gives the exit code; `null` when the signal itself ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a file with this Node, in development with a store in memory unless `env` says otherwise. `path` starts from `cwd`,
 * which is the repository by default.
 */
export async function runFile(
  path: string,
  env: Readonly<Record<string, string>> = {},
  cwd: string = root,
): Promise<RunningProcess> {
  return runNode([path], env, cwd)
}

/** The same with arguments: `['--import', './register.ts', 'app.ts']`. */
export async function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = root,
): Promise<RunningProcess> {
  const child = spawn(process.execPath, [...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      APP_ENV: 'dev',
      APP_STORE: 'memory:',
      FANLIGHT: 'on',
      FANLIGHT_STORE: 'memory:',
      PORT: '0',
      ...compiledCode,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Unlike `exit`, this comes when all that the process wrote has been read.
  const closed = once(child, 'close') as Promise<[number | null]>
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      if (output.length > 100_000) return
      output += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:[1-9]\d*(?=\D)/.exec(output)?.[0]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    closed.then(
      () => reject(new Error(`${args.join(' ')} ended: ${output}`)),
      () => undefined,
    )
  })
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal)
    const [code] = await closed
    return code
  }
  return {
    url,
    child,
    get output() {
      return output
    },
    end,
    async [Symbol.asyncDispose]() {
      await end()
    },
  }
}
