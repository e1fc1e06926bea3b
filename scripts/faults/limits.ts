// What the machine gives runs out: memory (F25), file descriptors (F29), the port (F41), the right to the store's folder (F03).

import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { once } from 'node:events'
import { openEngine } from '../../src/app/open-engine.ts'
import { RawConnection } from '../../test/support/raw-connection.ts'
import { runFile, type RunningProcess } from '../../test/support/running-process.ts'
import { until } from '../../test/support/until.ts'
import { ask, describeLoad, isServed, startLoad, type FaultResult } from './fault.ts'
import { makePlace, seconds } from './place.ts'

const faulty = 'test/support/faulty-server.ts'

/** F03: another user who may not write where the store belongs; then the folder of a store is removed under load. */
export async function foreignFolder(): Promise<FaultResult> {
  const row = { fault: 'F03', title: 'folder not permitted (uid 65534); removed under load', criterion: 'all served' }
  using place = makePlace()
  chmodSync(place.path, 0o755)
  mkdirSync(join(place.path, 'locked'), { mode: 0o700 })
  const wrapper = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
  const refused = await runFile('scripts/faults/wrapped.ts', {
    APP_STORE: `sqlite:${join(place.path, 'locked/store.db')}`,
    WRAPPER: JSON.stringify(wrapper),
  }).catch((error: unknown) => String(error))
  if (typeof refused === 'string')
    return {
      ...row,
      observed: `did not start: ${refused.split('\n')[0]}`,
      isMet: process.getuid?.() === 0 ? false : null,
    }
  const output = readOutput(refused)
  const load = startLoad([refused.url])
  await seconds(3)
  const asOther = await load.stop()
  const list = await ask(`${refused.url}/_profiler/`)
  await refused.end()

  const folder = join(place.path, 'own')
  const store = `sqlite:${join(folder, 'store.db')}`
  await using running = await runFile('app/main.ts', { APP_STORE: store })
  const removed = startLoad([running.url])
  await seconds(2)
  rmSync(folder, { recursive: true, force: true })
  await seconds(4)
  const afterwards = await removed.stop()
  const { token } = await ask(`${running.url}/nope`)
  const engine = await openEngine(store)
  const isStored = await until(
    async () => token !== undefined && (await engine.profiles.read(token)) !== undefined,
    10_000,
  ).then(
    () => true,
    () => false,
  )
  await engine.close()
  return {
    ...row,
    observed: `as another user ${describeLoad(asOther)}, list of profiles ${list.status}, ${/kept in memory/i.test(output()) ? 'said in the log' : 'profiles in memory'}; folder removed: ${describeLoad(afterwards)}, stored in a new one: ${isStored ? 'yes' : 'no'}`,
    isMet: isServed(asOther) && list.status === 200 && isServed(afterwards) && isStored,
  }
}

/** F25: requests that take memory and keep it, with 64 MB of heap; then a start on the same store. */
export async function outOfMemory(): Promise<FaultResult> {
  using place = makePlace()
  const store = `sqlite:${join(place.path, 'store.db')}`
  const running = await runFile(faulty, { APP_STORE: store, NODE_OPTIONS: '--max-old-space-size=64' })
  running.child.stdout?.resume()
  running.child.stderr?.resume()
  const tokens: string[] = []
  let requests = 0
  while (running.child.exitCode === null && running.child.signalCode === null && requests < 200) {
    requests += 1
    const answer = await ask(`${running.url}/allocate`).catch(() => null)
    if (answer?.token !== undefined) tokens.push(answer.token)
    // What is settled is written: what is lost then was still on its way.
    await seconds(0.1)
  }
  const died = running.child.signalCode ?? running.child.exitCode
  if (died === null) await running.end('SIGKILL')
  await using again = await runFile(faulty, { APP_STORE: store })
  let whole = 0
  let torn = 0
  for (const token of tokens) {
    const { status, body } = await ask(`${again.url}/_profiler/${token}`)
    if (status === 200 && body.includes('</html>')) whole += 1
    else if (status !== 404) torn += 1
  }
  return {
    fault: 'F25',
    title: 'out of memory (heap of 64 MB)',
    criterion: 'starts again on its store; no half profile',
    observed: `ended by ${died ?? 'nothing'} after ${requests} requests; started again; of ${tokens.length} profiles ${whole} whole, ${torn} torn`,
    isMet: died !== null && torn === 0 && whole > 0,
  }
}

/** F29: 10,000 idle connections beside a load; then a process that may open 64 files. */
export async function manyConnections(): Promise<FaultResult> {
  await using running = await runFile('app/main.ts')
  running.child.stdout?.resume()
  const idle = await openMany(running, 10_000)
  const load = startLoad([running.url])
  await seconds(4)
  const alive = idle.filter(({ isClosed }) => !isClosed).length
  const figures = await load.stop()
  for (const connection of idle) connection.socket.destroy()

  await using narrow = await runFile('scripts/faults/wrapped.ts', {
    WRAPPER: JSON.stringify(['prlimit', '--nofile=64:64']),
    WRAPPED: faulty,
  })
  narrow.child.stdout?.resume()
  const { pid } = JSON.parse((await ask(`${narrow.url}/facts`)).body) as { pid: number }
  const first = await RawConnection.open(Number(new URL(narrow.url).port))
  first.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await first.receive('home')
  const crowd = await openMany(narrow, 200)
  first.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  const isFirstServed = await until(() => first.answerCount === 2, 5000).then(
    () => true,
    () => false,
  )
  const busyMs = await processorTime(pid, 2)
  for (const { socket } of crowd) socket.destroy()
  first.socket.destroy()
  const recovered = await until(
    async () => (await ask(`${narrow.url}/`).catch(() => null))?.status === 200,
    10_000,
  ).then(
    () => true,
    () => false,
  )
  return {
    fault: 'F29',
    title: '10,000 idle connections; 200 where 64 files may be open',
    criterion: 'all served; existing connections served, accepts again, no busy loop',
    observed: `${describeLoad(figures)} beside ${alive} idle connections; of 64 files: existing connection ${isFirstServed ? 'served' : 'NOT served'}, ${busyMs} ms of the processor in 2 s of waiting, accepts again: ${recovered ? 'yes' : 'no'}`,
    isMet: isServed(figures) && alive > 9900 && isFirstServed && busyMs < 500 && recovered,
  }
}

/** F41: 100 starts on a port that is in use, then one that is free, on one store. */
export async function restartStorm(): Promise<FaultResult> {
  using place = makePlace()
  const env = { APP_STORE: `sqlite:${join(place.path, 'store.db')}` }
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const port = String((other.address() as AddressInfo).port)
  let clear = 0
  for (let start = 0; start < 100; start += 1) {
    const said = await runFile('app/main.ts', { ...env, PORT: port }).then(
      async (running) => `started, exit ${await running.end()}`,
      (error: unknown) => String(error),
    )
    if (said.includes(`Cannot start: 127.0.0.1:${port} is in use`) && !/\n\s+at /.test(said)) clear += 1
  }
  other.close()
  await once(other, 'close')
  await using running = await runFile('app/main.ts', { ...env, PORT: port })
  const { status } = await ask(running.url)
  return {
    fault: 'F41',
    title: '100 starts on a port in use',
    criterion: 'one clear line each; the next start works',
    observed: `${clear} of 100 with one clear line; then a start on the same store: ${status}`,
    isMet: clear === 100 && status === 200,
  }
}

async function openMany({ url }: RunningProcess, count: number): Promise<RawConnection[]> {
  const port = Number(new URL(url).port)
  const connections: RawConnection[] = []
  while (connections.length < count) {
    const size = Math.min(200, count - connections.length)
    connections.push(...(await Promise.all(Array.from({ length: size }, () => RawConnection.open(port)))))
  }
  return connections
}

/** Milliseconds of the processor that a process takes in so many seconds. */
async function processorTime(pid: number, forSeconds: number): Promise<number> {
  const read = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    // A tick is 10 ms on every Linux there is.
    return (Number(fields[11]) + Number(fields[12])) * 10
  }
  const before = read()
  await seconds(forSeconds)
  return read() - before
}

/** What the process writes from now on. */
function readOutput({ child }: RunningProcess): () => string {
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text
}
