// Measures what the profiler costs inside other frameworks: `npm run bench:frameworks [-- --starts=3 --rounds=5 --only=Express;Koa]`.
// Each application runs in four processes: twice without us, which shows what two equal processes differ by, with us where it is
// off, and on. A round goes through the four in turn. Costs are processor time of the main thread, at a steady pace below
// saturation; servers share one core, and what sends has the other. The package is built here, from the sources as they are.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPackage } from '../../scripts/built-shop.ts'
import { markdownTable, median, middleHalf } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { sendPaced, type PacedResult } from '../recording/paced.ts'
import { applications, off, on, plain, type Application } from './contestants.ts'
import { measureMemory } from './memory.ts'
import { differences, text } from './responses.ts'
import { measureStarts } from './starts.ts'

const { values: flags } = parseArgs({
  options: {
    starts: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    pace: { type: 'string', default: '1000' },
    only: { type: 'string', default: '' },
    load: { type: 'string', default: '60' },
  },
})
const seconds = Number(flags.seconds)
const perSecond = Number(flags.pace)
const paths = ['/json/7', '/page'] as const
// Only who names HTML gets the toolbar.
const accepts = { '/json/7': 'application/json', '/page': 'text/html,*/*;q=0.8' } as const

/** Microseconds of each path, in the order of `paths`. */
type Costs = readonly number[]

/** One round of an application. */
interface Round {
  readonly plain: Costs
  readonly again: Costs
  readonly off: Costs
  readonly on: Costs
}

const chosen = applications.filter(
  ({ name }) => flags.only === '' || flags.only.split(';').some((part) => name.includes(part)),
)
const directory = mkdtempSync(join(tmpdir(), 'fanlight-bench-frameworks-'))
try {
  await installPackage(directory)
  const built = join(directory, 'node_modules/fanlight/dist')
  // What sends must not take the servers' core.
  execFileSync('taskset', ['-apc', '1', String(process.pid)], { stdio: 'ignore' })
  const rounds = new Map<Application, Round[]>(chosen.map((application) => [application, []]))
  const different = new Map<Application, readonly string[]>()
  for (let start = 0; start < Number(flags.starts); start += 1) {
    for (const application of chosen) await measure(application, built)
  }
  report(rounds, different)
  await measureStarts(chosen, built, directory, Number(flags.starts) * Number(flags.rounds))
  await measureMemory(chosen, built, directory, { rounds: Number(flags.starts), loadSeconds: Number(flags.load) })

  async function measure(application: Application, built: string): Promise<void> {
    const states = [plain(application), plain(application), off(application, built), on(application, built, directory)]
    const servers: ServerProcess[] = []
    try {
      for (const state of states) servers.push(await ServerProcess.start(state, 0, state.flags))
      for (const server of servers) await warmUp(server)
      const [first, second, withOff, withOn] = servers as [ServerProcess, ServerProcess, ServerProcess, ServerProcess]
      await assertToolbar(withOn)
      if (!different.has(application)) different.set(application, await differences(first.url, withOff.url))
      for (let round = 0; round < Number(flags.rounds); round += 1) {
        rounds.get(application)?.push({
          plain: await costs(first),
          off: await costs(withOff),
          on: await costs(withOn),
          again: await costs(second),
        })
      }
    } finally {
      for (const server of servers) await server.stop()
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** What is not there must not look cheap. */
async function assertToolbar({ name, url }: ServerProcess): Promise<void> {
  const page = await text(`${url}/page`, accepts['/page'])
  if (!page.includes('<fanlight-toolbar')) throw new Error(`${name}: the page has no toolbar`)
}

/** Long enough for the compiler to have seen everything. */
async function warmUp(server: ServerProcess): Promise<void> {
  for (const path of paths) await send(server, path, 2000, 3)
  await new Promise((resolve) => setTimeout(resolve, 500))
}

function send(
  server: ServerProcess,
  path: (typeof paths)[number],
  perSecond: number,
  seconds: number,
): Promise<PacedResult> {
  return sendPaced(server.url, path, { perSecond, connections: 16, seconds, accept: accepts[path] })
}

async function costs(server: ServerProcess): Promise<Costs> {
  const each: number[] = []
  for (const path of paths) {
    const before = server.processorTime().mainThread
    const { requests } = await send(server, path, perSecond, seconds)
    each.push((server.processorTime().mainThread - before) / requests)
  }
  return each
}

function report(
  rounds: ReadonlyMap<Application, readonly Round[]>,
  different: ReadonlyMap<Application, readonly string[]>,
): void {
  for (const [index, path] of paths.entries()) {
    console.log(`\n### GET ${path}: µs of the main thread a request\n`)
    const head = ['', 'without us', 'the same again', 'off, more', 'on, more', 'middle half', 'bar']
    const rows = [...rounds].map(([{ name, bars }, all]) => {
      const more = (state: keyof Round): number[] =>
        all.map((round) => (round[state][index] ?? Number.NaN) - (round.plain[index] ?? Number.NaN))
      return [
        name,
        median(all.map((round) => round.plain[index] ?? Number.NaN)).toFixed(0),
        signed(median(more('again'))),
        signed(median(more('off'))),
        signed(median(more('on'))),
        middleHalf(more('on'), 0),
        `≤ ${bars[index]}`,
      ]
    })
    console.log(markdownTable(head, rows))
  }
  console.log('\n### Responses without us and with us where it is off\n')
  for (const [{ name }, found] of different) {
    console.log(`- ${name}: ${found.length === 0 ? 'equal, byte for byte' : found.join('; ')}`)
  }
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`
}
