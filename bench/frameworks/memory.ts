// How much memory an application has after its first requests and after load, and what its first request waits for.

import { markdownTable, median } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { sendPaced } from '../recording/paced.ts'
import { off, on, plain, type Application, type State } from './contestants.ts'
import { text } from './responses.ts'

/** Requests after which a development process is looked at first: somebody has clicked around. */
const fewRequests = 50
/** How long whatever is written late may take, in milliseconds. */
const settleMs = 1500

interface Seen {
  /** Resident megabytes. */
  readonly few: number
  readonly loaded: number
  /** Processor time of the main thread for the first request, in milliseconds. */
  readonly firstMs: number
}

/** Starts each application in each state, in turn, and prints medians. */
export async function measureMemory(
  applications: readonly Application[],
  built: string,
  directory: string,
  { rounds, loadSeconds }: { readonly rounds: number; readonly loadSeconds: number },
): Promise<void> {
  const rows: string[][] = []
  for (const application of applications) {
    const inDevelopment = on(application, built, directory)
    const states: Readonly<Record<string, State>> = {
      'without us': plain(application),
      off: off(application, built),
      'on, memory:': { ...inDevelopment, env: { ...inDevelopment.env, FANLIGHT_STORE: 'memory:' } },
      'on, sqlite:': inDevelopment,
    }
    const all = new Map<string, Seen[]>(Object.keys(states).map((name) => [name, []]))
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, state] of Object.entries(states)) all.get(name)?.push(await look(state, loadSeconds))
    }
    for (const [name, seen] of all) {
      rows.push([
        application.name,
        name,
        ...(['few', 'loaded', 'firstMs'] as const).map((figure) => median(seen.map((one) => one[figure])).toFixed(0)),
      ])
    }
  }
  console.log('\n### Resident memory, and the first request\n')
  const loaded = `MB after ${loadSeconds} s of load`
  console.log(markdownTable(['', 'state', `MB after ${fewRequests} requests`, loaded, 'ms of the first'], rows))
}

async function look(state: State, loadSeconds: number): Promise<Seen> {
  const server = await ServerProcess.start(state, 0, state.flags)
  try {
    await pause()
    const before = server.processorTime().mainThread
    await text(`${server.url}/json/7`, 'application/json')
    const firstMs = (server.processorTime().mainThread - before) / 1000
    for (let count = 1; count < fewRequests; count += 1) await text(`${server.url}/json/7`, 'application/json')
    await pause()
    const few = server.residentMegabytes()
    await sendPaced(server.url, '/json/7', { perSecond: 1000, connections: 16, seconds: loadSeconds })
    await pause()
    return { few, loaded: server.residentMegabytes(), firstMs }
  } finally {
    await server.stop()
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, settleMs))
}
