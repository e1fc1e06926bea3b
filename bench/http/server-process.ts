// One server in its own process on one core, and what the system knows about it: processor time and memory.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contestant } from './contestants.ts'

/** Processor time since the start of the process, in microseconds. */
export interface ProcessorTime {
  readonly mainThread: number
  /** All threads: garbage collector, the store's worker. */
  readonly all: number
}

/** A running server. */
export class ServerProcess {
  readonly name: string
  readonly url: string
  readonly #child: ChildProcess
  /** Where it runs; taken away with it. */
  readonly directory: string

  private constructor(name: string, url: string, child: ChildProcess, directory: string) {
    this.name = name
    this.url = url
    this.#child = child
    this.directory = directory
  }

  /** Starts a server on the core with this number; its output goes to a file. Rejects when it ends before it listens. */
  static async start(contestant: Contestant, core: number, nodeFlags: readonly string[] = []): Promise<ServerProcess> {
    const directory = mkdtempSync(join(tmpdir(), 'fanlight-bench-http-'))
    const log = openSync(join(directory, 'output.log'), 'w')
    const own = contestant.file.endsWith('.ts') ? [`--cwd=${directory}`] : []
    const child = spawn(
      'taskset',
      ['-c', String(core), process.execPath, ...nodeFlags, contestant.file, ...contestant.args, ...own],
      {
        stdio: ['ignore', log, log, 'ipc'],
        env: { PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', ...contestant.env },
      },
    )
    const port = await new Promise<number>((resolve, reject) => {
      const ended = (): void =>
        reject(new Error(`${contestant.name} did not start: ${readFileSync(join(directory, 'output.log'), 'utf8')}`))
      child.once('message', (message) => {
        // Later its output may be too long for a string.
        child.off('exit', ended)
        resolve((message as { port: number }).port)
      })
      child.once('exit', ended)
    })
    return new ServerProcess(contestant.name, `http://127.0.0.1:${port}`, child, directory)
  }

  /** Number of its process. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** What it has used so far. Threads that have ended are not in it. */
  processorTime(): ProcessorTime {
    const { pid } = this.#child
    const tasks = readdirSync(`/proc/${pid}/task`).map(
      (task) => [task, onProcessor(`/proc/${pid}/task/${task}`)] as const,
    )
    return {
      mainThread: onProcessor(`/proc/${pid}`),
      all: tasks.reduce((sum, [, microseconds]) => sum + microseconds, 0),
    }
  }

  /** Moves its threads that run by now, but for the main one, to another core: where a machine has several, they find one. */
  moveOtherThreads(core: number): void {
    const { pid } = this.#child
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      if (task !== String(pid)) execFileSync('taskset', ['-pc', String(core), task], { stdio: 'ignore' })
    }
  }

  /** Resident memory in megabytes: the largest so far. */
  peakMegabytes(): number {
    return this.#megabytes('VmHWM')
  }

  /** Resident memory in megabytes, now. */
  residentMegabytes(): number {
    return this.#megabytes('VmRSS')
  }

  #megabytes(name: string): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  }

  /** Ends it and takes its directory away. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000)
    await ended
    clearTimeout(timer)
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** First field of schedstat: nanoseconds on a processor. */
function onProcessor(directory: string): number {
  return Number(readFileSync(`${directory}/schedstat`, 'utf8').split(' ')[0]) / 1000
}
