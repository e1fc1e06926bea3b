// How long an application takes from the start of its process to its first answer, and how much memory it has then and a moment
// later: `npm run bench:startup -- [--rounds=9]`. Rounds are interleaved; medians are printed. Compiled code is kept from the round
// before the first. A start during which something else used the processors is repeated, twice at most. The built shop is made here,
// from the sources as they are.

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildShop, builtMain } from '../../scripts/built-shop.ts'
import { freePort } from '../../test/support/free-port.ts'
import { markdownTable, median, middleHalf } from '../http/figures.ts'

interface Case {
  readonly name: string
  /** What Node is started with. */
  readonly args: readonly string[]
  /** Where. Default: the repository. */
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
}

interface Start extends Usage {
  readonly ms: number
  /** Whether the machine did nothing else meanwhile. */
  readonly isClean: boolean
  /** Resident memory when what is loaded late is there, the answers to errors and the thread of a store that has profiles to write. */
  readonly laterMegabytes: number
}

interface Usage {
  /** Resident memory. */
  readonly megabytes: number
  /** Processor time, all threads: steadier than the clock on a machine that is shared. */
  readonly processorMs: number
}

/** How long after the first answer the second look at memory is taken. */
const laterMs = 2500

/** What everything else may take of the processors during a start that counts, by the time of the start. */
const othersShare = 0.12

/** How often a start is tried until the machine did nothing else meanwhile; the last one counts, so that the bench ends on busy machines too. */
const maxTries = 3

const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const directory = mkdtempSync(join(tmpdir(), 'fanlight-bench-startup-'))
const off = { APP_ENV: 'prod', APP_DEBUG: '0' }
const on = { APP_ENV: 'dev', APP_DEBUG: '1' }
const kept = `--import=${new URL('../../scripts/keep-compiled.mjs', import.meta.url).href}`
const bare = fileURLToPath(new URL('bare.mjs', import.meta.url))

const forms = (recording: string, env: Case['env']): readonly Case[] => [
  { name: `${recording}, \`node app/main.ts\``, args: ['app/main.ts'], env },
  { name: `${recording}, as \`npm start\` does`, args: [kept, 'app/main.ts'], env },
  {
    name: `${recording}, built`,
    args: [builtMain],
    env: { ...env, NODE_COMPILE_CACHE: join(directory, 'compile-cache') },
    cwd: join(directory, 'shop'),
  },
]

const cases: readonly Case[] = [
  { name: 'bare `import` of node:http', args: [bare], env: {} },
  { name: 'bare `require` of node:http', args: [bare.replace('.mjs', '.cjs')], env: {} },
  ...forms('off', off),
  ...forms('on', on),
]
let discarded = 0
let disturbed = 0
const measured = new Map(cases.map((one) => [one, [] as Start[]]))
try {
  await buildShop(join(directory, 'shop'))
  for (const one of cases) await start(one)
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const one of cases) measured.get(one)?.push(await cleanStart(one))
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
console.log(
  markdownTable(
    ['', 'ms to first answer', 'least', 'middle half', 'processor ms', 'RSS MB', `${laterMs / 1000} s later`],
    [...measured].map(([{ name }, starts]) => [
      name,
      median(starts.map(({ ms }) => ms)).toFixed(0),
      Math.min(...starts.map(({ ms }) => ms)).toFixed(0),
      middleHalf(
        starts.map(({ ms }) => ms),
        0,
      ),
      median(starts.map(({ processorMs }) => processorMs)).toFixed(0),
      median(starts.map(({ megabytes }) => megabytes)).toFixed(0),
      median(starts.map(({ laterMegabytes }) => laterMegabytes)).toFixed(0),
    ]),
  ),
)

console.log(
  `\nSomething else took the processors in ${discarded + disturbed} starts; ${disturbed} of them count all the same.`,
)

async function cleanStart(one: Case): Promise<Start> {
  for (let left = maxTries; ; left -= 1) {
    await untilIdle()
    const started = await start(one)
    if (started.isClean) return started
    if (left === 1) {
      disturbed += 1
      return started
    }
    discarded += 1
  }
}

/** Waits until the machine has nothing to do, five seconds at most. */
async function untilIdle(): Promise<void> {
  for (let left = 33; left > 0; left -= 1) {
    const busyBefore = busyMs()
    await new Promise((resolve) => setTimeout(resolve, 150))
    if (busyMs() - busyBefore <= 30) return
  }
}

/** Processor time of everything since the machine started, what it waited for other machines of its host among it. */
function busyMs(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/ +/).map(Number) ?? []
  return (user + nice + system + irq + softIrq + steal) * 10
}

/** Starts it, asks until it answers, and ends it. */
async function start({ args, env, cwd }: Case): Promise<Start> {
  const port = await freePort()
  const busyBefore = busyMs()
  const ownBefore = process.cpuUsage()
  const startedMs = performance.now()
  const child = spawn(process.execPath, [...args], {
    ...(cwd === undefined ? {} : { cwd }),
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
    const used = usage(child.pid ?? 0)
    const own = process.cpuUsage(ownBefore)
    const othersMs = busyMs() - busyBefore - used.processorMs - (own.user + own.system) / 1000
    await new Promise((resolve) => setTimeout(resolve, laterMs))
    return { ms, isClean: othersMs < othersShare * ms, ...used, laterMegabytes: usage(child.pid ?? 0).megabytes }
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

function usage(pid: number): Usage {
  const rss = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  // The first field of schedstat is the time on a processor in nanoseconds; threads that ended are not counted.
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`)
  const nanoseconds = threads.map((file) => Number(readFileSync(file, 'utf8').split(' ')[0]))
  return { megabytes: rss / 1024, processorMs: nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6 }
}
