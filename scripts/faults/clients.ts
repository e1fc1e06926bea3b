// Clients that break off 1000 times a second (F26), and answers of a gigabyte, also to a client that reads slowly (F27).

import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { runFile, type RunningProcess } from '../../test/support/running-process.ts'
import { until } from '../../test/support/until.ts'
import { ask, type FaultResult } from './fault.ts'
import { seconds } from './place.ts'

const faulty = 'test/support/faulty-server.ts'
const abortSeconds = 60
const abortsPerSecond = 1000
const megabytes = 1024

/** F26: 1000 clients a second for a minute that break off before, during and after, in streams and in reads of profiles. */
export async function brokenOff(): Promise<FaultResult> {
  await using running = await runFile(faulty)
  let lines = 0
  running.child.stdout?.on(
    'data',
    (chunk: Buffer) => (lines += chunk.toString().match(/EPIPE|ECONNRESET/g)?.length ?? 0),
  )
  running.child.stderr?.resume()
  const { token } = await ask(`${running.url}/nope`)
  const port = Number(new URL(running.url).port)
  const before = await restingResources(running)
  // Pages that cost little, with one error page and one profile among them: the machine is to bear 1000 of them a second.
  const targets = [
    '/',
    '/endless',
    '/',
    '/megabytes?5',
    '/',
    '/facts',
    '/',
    '/endless',
    '/',
    '/nope',
    '/',
    `/_profiler/${token}`,
  ]
  let started = 0
  const clients = new Set<Socket>()
  const begin = performance.now()
  while (performance.now() - begin < abortSeconds * 1000) {
    const due = Math.floor(((performance.now() - begin) / 1000) * abortsPerSecond)
    for (; started < due; started += 1) breakOff(clients, port, targets[started % targets.length] ?? '/', started)
    await seconds(0.01)
  }
  // Clients that found the queue of the system full try again for a while.
  await until(() => clients.size === 0, 120_000).catch(() => undefined)
  const after = await restingResources(running, before)
  const { status } = await ask(`${running.url}/`)
  return {
    fault: 'F26',
    title: `${abortsPerSecond} clients a second break off for ${abortSeconds} s`,
    criterion: 'alive; nothing is left open; no line per client',
    observed: `${started} broken off; handles ${before} before, ${after} at rest afterwards; ${lines} lines of EPIPE or ECONNRESET; then ${status}`,
    isMet: status === 200 && after <= before && lines === 0,
  }
}

/** F27: 1 GB to a quick reader and to one who stops for a while, with the profiler on. */
export async function gigabyte(): Promise<FaultResult> {
  await using running = await runFile(faulty)
  running.child.stdout?.resume()
  const start = memoryOf(running)
  let peak = start
  const timer = setInterval(() => (peak = Math.max(peak, memoryOf(running))), 100)
  const quick = await readBytes(`${running.url}/megabytes?${megabytes}`, 0)
  const slow = await readBytes(`${running.url}/megabytes?${megabytes / 8}`, 3000)
  clearInterval(timer)
  const { body } = await ask(`${running.url}/_profiler/${quick.token}?panel=request`)
  const isSizeShown = /1(?:\.0+)? G(?:i)?B|1,?073,?741,?824/.test(body)
  return {
    fault: 'F27',
    title: 'a stream of 1 GB; 128 MB to a reader that stops for 3 s',
    criterion: 'all bytes; RSS flat (<= 100 MB more); the profile tells size and status',
    observed: `${quick.bytes} and ${slow.bytes} bytes; RSS ${start} MB before, ${peak} MB at most; size in the profile: ${isSizeShown ? 'yes' : 'no'}`,
    isMet:
      quick.bytes === megabytes * 1024 * 1024 &&
      slow.bytes === (megabytes / 8) * 1024 * 1024 &&
      peak - start <= 100 &&
      isSizeShown,
  }
}

function breakOff(clients: Set<Socket>, port: number, target: string, turn: number): void {
  const socket = connect(port, '127.0.0.1')
  clients.add(socket)
  socket.on('close', () => clients.delete(socket))
  socket.on('error', () => undefined)
  const end = (): void => {
    if (turn % 3 === 0) socket.resetAndDestroy()
    else socket.destroy()
  }
  socket.on('connect', () => {
    if (turn % 4 === 0) return end()
    const bytes = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
    if (turn % 4 === 1) return void socket.write(bytes.slice(0, 20), end)
    socket.write(bytes)
    if (turn % 4 === 2) setTimeout(end, turn % 50)
    else socket.once('data', end)
    setTimeout(end, 1000)
  })
}

/** Handles of the process once they stay as they are, or are down to `least`. */
async function restingResources({ url }: RunningProcess, least = 0): Promise<number> {
  const read = async (): Promise<number> =>
    (JSON.parse((await ask(`${url}/facts`)).body) as { resources: number }).resources
  // What has been accepted is worked off first.
  let last = await read()
    .catch(() => read())
    .catch(() => read())
  await until(async () => {
    await seconds(0.5)
    const now = await read()
    const isResting = now === last || now <= least
    last = now
    return least === 0 ? isResting : now <= least
  }, 20_000).catch(() => undefined)
  return last
}

async function readBytes(url: string, pauseMs: number): Promise<{ bytes: number; token: string }> {
  const response = await fetch(url)
  let bytes = 0
  let hasPaused = pauseMs === 0
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength
    if (hasPaused || bytes < 1024 * 1024) continue
    hasPaused = true
    await seconds(pauseMs / 1000)
  }
  return { bytes, token: response.headers.get('x-debug-token') ?? '' }
}

/** Resident memory in MB. */
function memoryOf({ child }: RunningProcess): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))?.[1]
  return Math.round(Number(kilobytes ?? 0) / 1024)
}
