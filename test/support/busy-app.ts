// An application whose handlers hold the event loop, wait, or both, and clients in their own process: what a client does
// must not be on the loop that is looked at. Who meets whom is agreed between the handlers, not left to the speed of the machine.

import { threadMs } from '../../src/base/timing/builtins.ts'
import { spawn } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { json, RouteCollection } from '../../src/index.ts'
import type { TimeData } from '../../src/observe/collectors/time.ts'
import { startApp, type RunningApp, type RunningAppOptions } from './running-app.ts'
import { until } from './until.ts'

/** Holds the process for this long. */
export function holdLoop(ms: number): number {
  // On a busy machine that takes longer: what counts is what the thread works.
  const endMs = threadMs() + ms
  let rounds = 0
  while (threadMs() < endMs) rounds += 1
  return rounds
}

const wait = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Two flags between the handler of `/hold-until-sent` and its client: the loop is held, the other request is sent. */
const flags = new Int32Array(new SharedArrayBuffer(8))

/**
 * `/hold/{ms}` holds the loop, `/wait/{ms}` waits, `/mixed` waits 20 ms, holds 15, waits 20. `/held-up` waits, in short
 * waits, until `/hold-up/{ms}`, under any further name too, has held the loop, which that does once somebody waits so.
 */
export async function startBusyApp(options: Omit<RunningAppOptions, 'routes'> = {}): Promise<RunningApp> {
  const routes = new RouteCollection()
  routes.get('hold', '/hold/{ms}', async ({ request: { params } }) => {
    await Promise.resolve()
    return json(holdLoop(Number(params.ms)))
  })
  routes.get('wait', '/wait/{ms}', async ({ request: { params } }) => {
    await wait(Number(params.ms))
    return json('waited')
  })
  routes.get('mixed', '/mixed', async () => {
    await wait(20)
    holdLoop(15)
    await wait(20)
    return json('mixed')
  })
  let heldUp = 0
  let holds = 0
  routes.get('held-up', '/held-up', async () => {
    const before = holds
    heldUp += 1
    await until(() => holds > before)
    heldUp -= 1
    return json('held up')
  })
  const holdUp = async (ms: number): Promise<void> => {
    await until(() => heldUp > 0)
    holdLoop(ms)
    holds += 1
  }
  routes.get('hold-up', '/hold-up/{ms}', async ({ request: { params } }) => json(await holdUp(Number(params.ms))))
  routes.get('hold-up-named', '/hold-up/{ms}/{name}', async ({ request: { params } }) =>
    json(await holdUp(Number(params.ms))),
  )
  routes.get('hold-until-sent', '/hold-until-sent', async () => {
    raise(0)
    Atomics.wait(flags, 1, 0, 60_000)
    const rounds = holdLoop(50)
    // What comes after its response would not overlap it.
    await wait(50)
    return json(rounds)
  })
  return startApp({ ...options, routes })
}

function raise(flag: 0 | 1): void {
  Atomics.store(flags, flag, 1)
  Atomics.notify(flags, flag)
}

/** A request of a client: its path, or that with headers. */
export type BusyRequest = string | { readonly path: string; readonly headers: Readonly<Record<string, string>> }

/** Sends requests at once from another process, each on its own connection that is open before; gives their tokens in order. */
export async function sendTogether({ url }: RunningApp, requests: readonly BusyRequest[]): Promise<readonly string[]> {
  const client = spawn(process.execPath, ['--input-type=module', '--eval', clientCode, url, JSON.stringify(requests)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of client.stdout.setEncoding('utf8')) output += String(chunk)
  return JSON.parse(output) as string[]
}

const clientCode = `
import { Agent, request } from 'node:http'
const [url, text] = process.argv.slice(1), agent = new Agent({ keepAlive: true, maxSockets: 50 })
const get = (path, headers) => new Promise((resolve, reject) => {
  const asked = request(url + path, { agent, headers }, (answer) => answer.resume().on('end', () => resolve(answer.headers['x-debug-token'])))
  asked.on('error', reject).end()
})
const requests = JSON.parse(text)
await Promise.all(requests.map(() => get('/wait/20')))
console.log(JSON.stringify(await Promise.all(requests.map((one) => typeof one === 'string' ? get(one) : get(one.path, one.headers)))))
agent.destroy()
`

/**
 * Sends `/hold-until-sent`, and another request while that holds the loop, on a connection that is open before unless told otherwise;
 * gives the tokens of both.
 */
export async function sendWhileHeld(
  { url }: RunningApp,
  path: string,
  { onNewConnection = false }: { readonly onNewConnection?: boolean } = {},
): Promise<readonly [holding: string, late: string]> {
  flags.fill(0)
  const client = new Worker(lateClientCode, { eval: true, workerData: { url, path, flags, onNewConnection } })
  try {
    return await new Promise((resolve, reject) => client.on('message', resolve).on('error', reject))
  } finally {
    await client.terminate()
  }
}

const lateClientCode = `
const { Agent, request } = require('node:http'), { parentPort, workerData } = require('node:worker_threads')
const { url, path, flags, onNewConnection } = workerData, agent = new Agent({ keepAlive: true, maxSockets: 2 })
const get = (target, sent, isNew) => new Promise((resolve, reject) => {
  const asked = request(url + target, { agent: isNew ? new Agent() : agent }, (answer) => answer.resume().on('end', () => resolve(answer.headers['x-debug-token'])))
  asked.on('error', reject).end(sent)
})
Promise.all([get('/wait/20'), get('/wait/20')]).then(() => {
  const holding = get('/hold-until-sent', () => {
    Atomics.wait(flags, 0, 0)
    const late = get(path, () => {
      Atomics.store(flags, 1, 1)
      Atomics.notify(flags, 1)
    }, onNewConnection)
    Promise.all([holding, late]).then((tokens) => parentPort.postMessage(tokens))
  })
})
`

/** What was measured of a request. */
export async function timeOf(app: RunningApp, token: string | undefined): Promise<Required<TimeData>> {
  const profile = await app.profiles.read(token ?? '')
  // The collector of this name wrote it.
  return profile?.data['time'] as Required<TimeData>
}
