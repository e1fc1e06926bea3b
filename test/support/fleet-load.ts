// Several processes that write profiles to one store at a set rate, and the judge who reads back what the store acknowledged.

import { formatCount } from '../../src/base/html/components.ts'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEngine } from '../../src/app/open-engine.ts'
import { compiledCode } from './compiled-code.ts'
import type { LoadMessage, LoadOrder, LoadReport, LoadTask } from './fleet-load-process.ts'
import { removeDirectory } from './temporary-directory.ts'
import { until } from './until.ts'

export type FleetLoadOptions = Omit<LoadTask, 'notes'> & { readonly processes: number }

/** A process of the load. */
export interface LoadProcess {
  readonly child: ChildProcess
  /** Profiles that the store acknowledged to it so far. */
  readonly acknowledged: number
}

/** What became of the profiles of a load. */
export interface Judgement {
  /** By processes that ended well; what a killed one made, nobody knows. */
  readonly made: number
  readonly acknowledged: number
  /** Acknowledged tokens that cannot be read. */
  readonly lost: readonly string[]
  /** Given up by a queue or by what is held apart, and counted. */
  readonly dropped: number
  /** Held at the end: acknowledged to the queue, and in no store. */
  readonly held: number
  /** Held for a while, and stored in the end. */
  readonly late: number
  readonly unconfirmed: number
  /** The longest of any process, in milliseconds. */
  readonly pauseMs: number
  /** The same before the mark. */
  readonly calmPauseMs: number
  readonly heldMs: number
  readonly enqueueMs: number
  readonly loopMs: number
  readonly reports: readonly LoadReport[]
}

/** Runs until it is judged. */
export interface FleetLoad extends AsyncDisposable {
  readonly processes: readonly LoadProcess[]
  /** All together, so far. */
  readonly acknowledged: number
  /** Says that a fault begins. */
  mark(): void
  /** Ends the load, waits until what waits is stored (30 s at most), and reads every acknowledged token through another process's engine. */
  judge(): Promise<Judgement>
}

const readsAtOnce = 64

/** Starts them; all have opened the store when it resolves. */
export async function startFleetLoad({ processes: count, ...task }: FleetLoadOptions): Promise<FleetLoad> {
  const folder = mkdtempSync(join(tmpdir(), 'fanlight-fleet-'))
  const started = Array.from({ length: count }, (_, index) => startOne({ ...task, notes: join(folder, `${index}`) }))
  const dispose = async (): Promise<void> => {
    for (const { child } of started) child.kill('SIGKILL')
    await Promise.all(started.map(({ ended }) => ended))
    await removeDirectory(folder)
  }
  try {
    await Promise.all(started.map(({ opened }) => opened))
  } catch (error) {
    await dispose()
    throw error
  }
  const tell = (order: LoadOrder): void => {
    for (const { child } of started) if (child.connected) child.send(order)
  }
  return {
    processes: started,
    get acknowledged() {
      return started.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
    },
    mark: () => tell('mark'),
    async judge() {
      tell('stop')
      const reports = (await Promise.all(started.map(({ ended }) => ended))).filter((report) => report !== undefined)
      const tokens = started.flatMap(({ notes }) => tokensOf(notes))
      const lost = await missing(task, tokens)
      const sum = (pick: (report: LoadReport) => number): number => reports.reduce((all, one) => all + pick(one), 0)
      const most = (pick: (report: LoadReport) => number): number => Math.max(0, ...reports.map(pick))
      return {
        made: sum(({ made }) => made),
        acknowledged: tokens.length,
        lost,
        dropped: sum(({ writer, fleet }) => writer.dropped + writer.refused + (fleet?.dropped ?? 0)),
        held: sum(({ fleet }) => fleet?.held ?? 0),
        late: sum(({ fleet }) => fleet?.late ?? 0),
        unconfirmed: sum(({ fleet }) => fleet?.unconfirmed ?? 0),
        pauseMs: most(({ pauseMs }) => pauseMs),
        calmPauseMs: most(({ calmPauseMs }) => calmPauseMs),
        heldMs: most(({ heldMs }) => heldMs),
        enqueueMs: most(({ enqueueMs }) => enqueueMs),
        loopMs: most(({ loopMs }) => loopMs),
        reports,
      }
    },
    [Symbol.asyncDispose]: dispose,
  }
}

/** `16,012 made, 16,012 acknowledged, 0 lost, 0 dropped, 0 held at the end (212 late, …), longest pause 410 ms` */
export function describeJudgement(judgement: Judgement): string {
  const { made, acknowledged, lost, dropped, held, late, unconfirmed, pauseMs, calmPauseMs, heldMs } = judgement
  return `${formatCount(made)} made, ${formatCount(acknowledged)} acknowledged, ${formatCount(lost.length)} lost, ${formatCount(dropped)} dropped, ${formatCount(held)} held at the end (${formatCount(late)} late, after ${(heldMs / 1000).toFixed(1)} s at most; ${formatCount(unconfirmed)} unconfirmed), longest pause ${Math.round(pauseMs)} ms (${Math.round(calmPauseMs)} ms before it began)`
}

interface StartedProcess extends LoadProcess {
  readonly notes: string
  readonly opened: Promise<void>
  /** With the report of a process that ended well. */
  readonly ended: Promise<LoadReport | undefined>
}

function startOne(task: LoadTask): StartedProcess {
  const child = fork(new URL('fleet-load-process.ts', import.meta.url), [], {
    env: { PATH: process.env['PATH'], ...compiledCode, FLEET_LOAD: JSON.stringify(task) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const seen: { acknowledged: number; isOpen: boolean; report?: LoadReport } = { acknowledged: 0, isOpen: false }
  child.on('message', (message: LoadMessage) => {
    if ('open' in message) seen.isOpen = true
    else if ('report' in message) seen.report = message.report
    else seen.acknowledged = message.acknowledged
  })
  return {
    child,
    notes: task.notes,
    get acknowledged() {
      return seen.acknowledged
    },
    opened: until(() => {
      if (child.exitCode !== null) throw new Error(`A process of the load ended with ${child.exitCode}`)
      return seen.isOpen
    }),
    ended: once(child, 'close').then(() => seen.report),
  }
}

function tokensOf(notes: string): readonly string[] {
  try {
    return readFileSync(notes, 'utf8').match(/[0-9a-z]{10,16}/g) ?? []
  } catch {
    return []
  }
}

/** Tokens that cannot be read by an engine that has just been opened. */
async function missing({ store, maxProfiles }: Omit<LoadTask, 'notes'>, tokens: readonly string[]): Promise<string[]> {
  const engine = await openEngine(store, { maxProfiles })
  const lost: string[] = []
  const queue = tokens.values()
  const reader = async (): Promise<void> => {
    for (const token of queue) if ((await engine.profiles.read(token)) === undefined) lost.push(token)
  }
  try {
    await Promise.all(Array.from({ length: readsAtOnce }, reader))
  } finally {
    await engine.close()
  }
  return lost
}
