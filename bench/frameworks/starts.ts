// How much later an application answers its first request, and how much memory it has then.

import { connect } from 'node:net'
import { markdownTable, median, middleHalf } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { off, on, plain, registered, type Application, type State } from './contestants.ts'

interface Start {
  /** Until the response to the first request was there. */
  readonly ms: number
  readonly megabytes: number
}

/** Starts each application in each state, in turn, and prints medians. */
export async function measureStarts(
  applications: readonly Application[],
  built: string,
  directory: string,
  rounds: number,
): Promise<void> {
  const rows: string[][] = []
  for (const application of applications) {
    const states: Readonly<Record<string, State>> = {
      off: off(application, built),
      'register, off': registered(application, built, {}),
      on: on(application, built, directory),
      'register, on': registered(application, built, {
        FANLIGHT: 'on',
        FANLIGHT_STORE: `sqlite:${directory}/registered.db`,
      }),
    }
    const bare: Start[] = []
    const others = new Map<string, Start[]>(Object.keys(states).map((name) => [name, []]))
    await start(plain(application))
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await start(plain(application)))
      for (const [name, state] of Object.entries(states)) others.get(name)?.push(await start(state))
    }
    for (const [name, starts] of others) {
      const moreMs = starts.map(({ ms }, round) => ms - (bare[round]?.ms ?? Number.NaN))
      const moreMegabytes = starts.map(({ megabytes }, round) => megabytes - (bare[round]?.megabytes ?? Number.NaN))
      rows.push([
        application.name,
        name,
        median(bare.map(({ ms }) => ms)).toFixed(0),
        median(moreMs).toFixed(1),
        middleHalf(moreMs, 0),
        median(moreMegabytes).toFixed(1),
      ])
    }
  }
  console.log('\n### From the start of the process to its first response\n')
  console.log(markdownTable(['', 'state', 'ms without us', 'ms more', 'middle half', 'MB more'], rows))
}

async function start(state: State): Promise<Start> {
  const startedMs = performance.now()
  const server = await ServerProcess.start(state, 0, state.flags)
  try {
    await firstResponse(server.url)
    return { ms: performance.now() - startedMs, megabytes: server.peakMegabytes() }
  } finally {
    await server.stop()
  }
}

/** By a bare socket: a client that takes more of the machine would be measured, too. */
function firstResponse(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      socket.write(`GET /json/7 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: */*\r\n\r\n`),
    )
    socket.once('error', reject)
    socket.once('data', () => {
      socket.destroy()
      resolve()
    })
  })
}
