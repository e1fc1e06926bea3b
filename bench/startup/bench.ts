// How long an application takes from the start of its process to its first answer, and how much memory it has then:
// `node bench/startup/bench.ts [--rounds=9] [--file=app/main.ts]`. Rounds are interleaved; medians are printed. Compiled code is kept
// from the round before the first. For the built form: `--file=build/app/main.js`, see docs/lifecycle.md.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { markdownTable, median, middleHalf } from '../http/figures.ts'

interface Case {
  readonly name: string
  /** What Node is started with. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

interface Start {
  readonly ms: number
  readonly megabytes: number
  /** Processor time until then, all threads, in milliseconds: steadier than the clock on a machine that is shared. */
  readonly processorMs: number
}

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, file: { type: 'string', default: 'app/main.ts' } },
})
const directory = mkdtempSync(join(tmpdir(), 'fanlight-bench-startup-'))
const off = { APP_ENV: 'prod', APP_DEBUG: '0' }
const on = { APP_ENV: 'dev', APP_DEBUG: '1' }
const kept = `--import=${new URL('../../scripts/keep-compiled.mjs', import.meta.url).pathname}`
const bare = new URL('bare.mjs', import.meta.url).pathname

const cases: readonly Case[] = [
  { name: 'bare node:http', args: [bare], env: {} },
  { name: `recording off, node ${flags.file}`, args: [flags.file], env: off },
  { name: 'recording off, as npm start does', args: [kept, flags.file], env: off },
  { name: `recording on, node ${flags.file}`, args: [flags.file], env: on },
  { name: 'recording on, as npm start does', args: [kept, flags.file], env: on },
]
const measured = new Map(cases.map((one) => [one, [] as Start[]]))
try {
  for (const one of cases) await start(one)
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const one of cases) measured.get(one)?.push(await start(one))
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
console.log(
  markdownTable(
    ['', 'ms to first answer', 'middle half', 'processor ms', 'RSS MB'],
    [...measured].map(([{ name }, starts]) => [
      name,
      median(starts.map(({ ms }) => ms)).toFixed(0),
      middleHalf(
        starts.map(({ ms }) => ms),
        0,
      ),
      median(starts.map(({ processorMs }) => processorMs)).toFixed(0),
      median(starts.map(({ megabytes }) => megabytes)).toFixed(0),
    ]),
  ),
)

/** Starts it, asks until it answers, and ends it. */
async function start({ args, env }: Case): Promise<Start> {
  const port = await freePort()
  const startedMs = performance.now()
  const child = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      APP_STORE: `sqlite:${join(directory, 'start.db')}`,
      ...env,
    },
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    await answer(port, () => child.exitCode !== null)
    const ms = performance.now() - startedMs
    return { ms, ...usage(child.pid ?? 0) }
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

/** By a bare socket: a client that takes more of the machine would be measured, too. */
async function answer(port: number, hasEnded: () => boolean): Promise<void> {
  while (!(await hasAnswered(port))) {
    if (hasEnded()) throw new Error('The application ended before it answered')
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
}

function hasAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`))
    const end = (answered: boolean): void => {
      socket.destroy()
      resolve(answered)
    }
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
    socket.once('end', () => end(false))
  })
}

function usage(pid: number): { megabytes: number; processorMs: number } {
  const rss = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  // Fields 14 and 15 of stat, in hundredths of a second.
  return { megabytes: rss / 1024, processorMs: (Number(fields[11]) + Number(fields[12])) * 10 }
}

/** A port that nobody listens on now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
