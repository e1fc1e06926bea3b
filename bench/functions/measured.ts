// The measured process: serves itself one warm request over a socket, and sends home which functions ran for it.

import { Session } from 'node:inspector/promises'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createApp, json, loadRuntimeContext, RouteCollection } from '../../src/index.ts'

/** A function that ran: the file it is in, relative to `src/`, its name and where it begins. */
export interface CalledFunction {
  readonly file: string
  readonly name: string
  readonly offset: number
  readonly calls: number
}

/** Long enough for a profile to be stored. */
const storedMs = 2000
/** More profiles than a process writes without the store's thread. */
const warmUps = 140

const { values } = parseArgs({ options: { cwd: { type: 'string', default: process.cwd() } } })
const source = new URL('../../src/', import.meta.url).href

const routes = new RouteCollection()
for (const name of 'abcdefghij') routes.get(name, `/${name}/{id}`, () => json({ ok: true }))
const { context } = loadRuntimeContext({ cwd: values.cwd, env: process.env })
const app = await createApp({ context, routes })
const { port } = await app.listen()
const socket = connect(port, '127.0.0.1')
const session = new Session()
session.connect()
await session.post('Profiler.enable')

for (let count = 0; count < warmUps; count += 1) await ask()
await wait(2 * storedMs)
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await ask()
await wait(storedMs)
await called()
await wait(storedMs)
const background = await called()
await ask()
await wait(storedMs)
const request = await called()
const isBackground = (one: CalledFunction): boolean =>
  background.some(({ file, offset }) => file === one.file && offset === one.offset)
process.send?.(request.filter((one) => !isBackground(one)))
socket.destroy()
await session.post('Profiler.stopPreciseCoverage')
session.disconnect()
await app.close()
process.disconnect()

function ask(): Promise<void> {
  return new Promise((resolve) => {
    socket.once('data', () => resolve())
    socket.write('GET /b/7 HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n')
  })
}

/** Functions of ours that ran since this was asked last. */
async function called(): Promise<readonly CalledFunction[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url }) => url.startsWith(source))
    .flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName, ranges: [range] }) =>
        range === undefined || range.count === 0
          ? []
          : [
              {
                file: url.slice(source.length),
                name: functionName || '(anonymous)',
                offset: range.startOffset,
                calls: range.count,
              },
            ],
      ),
    )
}
