// An application whose handlers hold the event loop, wait, or both, and clients in a process of their own: what a client does
// must not be on the loop that is looked at.

import { spawn } from 'node:child_process'
import { json, RouteCollection } from '../../src/index.ts'
import type { TimeData } from '../../src/profiler/collectors/time.ts'
import { startApp, type RunningApp, type RunningAppOptions } from './running-app.ts'

/** Holds the process for so long. */
export function holdLoop(ms: number): number {
  const endMs = performance.now() + ms
  let rounds = 0
  while (performance.now() < endMs) rounds += 1
  return rounds
}

/** `/hold/{ms}` holds the loop, under any further name too, `/wait/{ms}` waits, `/mixed` waits 20 ms, holds 15, waits 20. */
export async function startBusyApp(options: Omit<RunningAppOptions, 'routes'> = {}): Promise<RunningApp> {
  const routes = new RouteCollection()
  const wait = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  routes.get('hold', '/hold/{ms}', async ({ params }) => {
    await Promise.resolve()
    return json(holdLoop(Number(params.ms)))
  })
  routes.get('hold-named', '/hold/{ms}/{name}', async ({ params }) => {
    await Promise.resolve()
    return json(holdLoop(Number(params.ms)))
  })
  routes.get('wait', '/wait/{ms}', async ({ params }) => {
    await wait(Number(params.ms))
    return json('waited')
  })
  routes.get('mixed', '/mixed', async () => {
    await wait(20)
    holdLoop(15)
    await wait(20)
    return json('mixed')
  })
  return startApp({ ...options, routes })
}

/** A request of a client: when it is sent, after the first one, in milliseconds. */
export interface TimedRequest {
  readonly path: string
  readonly afterMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends requests from another process, each on a connection of its own that is open before; gives their tokens in order. */
export async function sendTimed({ url }: RunningApp, requests: readonly TimedRequest[]): Promise<readonly string[]> {
  const client = spawn(process.execPath, ['--input-type=module', '--eval', clientCode, url, JSON.stringify(requests)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of client.stdout.setEncoding('utf8')) output += String(chunk)
  return JSON.parse(output) as string[]
}

const clientCode = `
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
const [url, text] = process.argv.slice(1), agent = new Agent({ keepAlive: true, maxSockets: 50 })
const get = (path, headers) => new Promise((resolve, reject) => {
  const asked = request(url + path, { agent, headers }, (answer) => answer.resume().on('end', () => resolve(answer.headers['x-debug-token'])))
  asked.on('error', reject).end()
})
const requests = JSON.parse(text)
await Promise.all(requests.map(() => get('/wait/20')))
await sleep(30)
const tokens = await Promise.all(requests.map(async ({ path, afterMs = 0, headers = {} }) => {
  await sleep(afterMs)
  return get(path, headers)
}))
console.log(JSON.stringify(tokens))
agent.destroy()
`

/** What was measured of a request. */
export async function timeOf(app: RunningApp, token: string | undefined): Promise<TimeData> {
  const profile = await app.profiles.read(token ?? '')
  // The collector of this name wrote it.
  return profile?.data['time'] as TimeData
}
