// A controller holds the event loop for as long as an idle connection may live (F33).

import { join } from 'node:path'
import type { TimeData } from '../../src/observe/collectors/time.ts'
import { RawConnection } from '../../test/support/raw-connection.ts'
import { runFile } from '../../test/support/running-process.ts'
import { until } from '../../test/support/until.ts'
import { ask, type FaultResult } from './fault.ts'
import { makePlace, seconds } from './place.ts'

const stallMs = 5000
const connections = 20
const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

/** F33: half of 20 kept connections ask while nothing runs, half of them afterwards. */
export async function stalledLoop(): Promise<FaultResult> {
  using place = makePlace()
  await using running = await runFile('test/support/faulty-server.ts', {
    APP_STORE: `sqlite:${join(place.path, 'store.db')}`,
  })
  let complaints = 0
  running.child.stdout?.on(
    'data',
    (chunk: Buffer) => (complaints += chunk.toString().match(/the store /gi)?.length ?? 0),
  )
  running.child.stderr?.resume()
  const port = Number(new URL(running.url).port)
  const kept = await Promise.all(Array.from({ length: connections }, () => RawConnection.open(port)))
  for (const client of kept) client.send(get)
  await Promise.all(kept.map((client) => client.receive('home')))
  const stalled = ask(`${running.url}/stall?${stallMs}`)
  await seconds(1)
  for (const client of kept.slice(0, connections / 2)) client.send(get)
  const { status, token } = await stalled
  for (const client of kept.slice(connections / 2)) client.send(get)
  await until(() => kept.every(({ answerCount, isClosed }) => answerCount === 2 || isClosed), 5000).catch(
    () => undefined,
  )
  const answered = kept.filter(({ answerCount }) => answerCount === 2).length
  const closed = kept.filter(({ isClosed }) => isClosed).length
  for (const client of kept) client.socket.destroy()
  const response = await fetch(`${running.url}/_profiler/${token}.json`)
  const profile = (await response.json()) as { readonly data: { readonly time: TimeData } }
  // From begin to end: `longestStretchMs` is without what a busy machine ran meanwhile.
  const { stretches = [] } = profile.data.time
  const stretchMs = Math.max(
    0,
    ...stretches.map((ms, index) => (index % 2 === 0 ? 0 : ms - (stretches[index - 1] ?? ms))),
  )
  return {
    fault: 'F33',
    title: `a controller holds the loop for ${stallMs / 1000} s`,
    criterion:
      'what was asked meanwhile is answered, kept connections stay, the stall is recorded, no word of the store',
    observed: `the stalling request ${status}; ${answered} of ${connections} answered, ${closed} closed; profile tells a stretch of ${Math.round(stretchMs)} ms; ${complaints} lines about the store`,
    isMet: status === 200 && answered === connections && closed === 0 && stretchMs >= stallMs && complaints === 0,
  }
}
