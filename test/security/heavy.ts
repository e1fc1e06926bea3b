// The threats that take minutes or a free machine, by hand: `node test/security/heavy.ts`, or with the numbers wanted behind
// it. Each prints what was seen beside what is allowed; the process exits with 1 when one of them does not hold.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from '../support/raw-client.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { until } from '../support/until.ts'
import { requestBytes, wire } from '../support/wire.ts'
import { removeDirectory } from '../support/temporary-directory.ts'

interface Finding {
  readonly criterion: string
  readonly seen: string
  readonly holds: boolean
}

/** A process under attack. */
interface Target {
  readonly port: number
  readonly process: RunningProcess
}

async function startShop(env: Readonly<Record<string, string>> = {}): Promise<Target> {
  const shop = await runFile('app/main.ts', env)
  // The log has to go somewhere, or the process would wait for us.
  shop.child.stdout?.resume()
  shop.child.stderr?.resume()
  return { port: Number(new URL(shop.url).port), process: shop }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function openMany(port: number, count: number): Promise<RawConnection[]> {
  const connections: RawConnection[] = []
  while (connections.length < count) {
    const size = Math.min(200, count - connections.length)
    connections.push(...(await Promise.all(Array.from({ length: size }, async () => RawConnection.open(port)))))
  }
  return connections
}

const closeAll = (connections: readonly RawConnection[]): void => connections.forEach(({ socket }) => socket.destroy())

/** Milliseconds of the slowest of so many requests, one after the other. */
async function slowest(port: number, count: number, target = '/products'): Promise<number> {
  let worst = 0
  for (let round = 0; round < count; round += 1) {
    const start = performance.now()
    await request(port, { target })
    worst = Math.max(worst, performance.now() - start)
  }
  return worst
}

const within = (criterion: string, ms: number, maxMs: number): Finding => ({
  criterion: `${criterion} < ${maxMs} ms`,
  seen: `${Math.round(ms)} ms`,
  holds: ms < maxMs,
})

/** Resident memory of the process, in MB. */
function memoryOf({ process: { child } }: Target): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))
  return Number(line?.[1] ?? 0) / 1024
}

async function drip({ port }: Target): Promise<readonly Finding[]> {
  const dripping = await openMany(port, 80)
  const start = performance.now()
  for (const connection of dripping) connection.send('GET /drip HTTP/1.1\r\nHost: h\r\nX: ')
  const timer = setInterval(() => dripping.forEach((connection) => !connection.isClosed && connection.send('a')), 500)
  const others = await slowest(port, 20)
  await until(() => dripping.every(({ isClosed }) => isClosed), 110_000)
  clearInterval(timer)
  return [within('others', others, 1500), within('the last drip is cut', performance.now() - start, 100_000)]
}

async function idle({ port }: Target): Promise<readonly Finding[]> {
  const connections = await openMany(port, 5000)
  const others = await slowest(port, 20)
  const alive = connections.filter(({ isClosed }) => !isClosed).length
  closeAll(connections)
  return [within(`others beside ${alive} idle connections`, others, 1500)]
}

async function deaf({ port }: Target): Promise<readonly Finding[]> {
  const connections = await openMany(port, 20)
  for (const connection of connections) {
    connection.socket.pause()
    connection.send('GET /never-read HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(40))
  }
  const others = await slowest(port, 10)
  closeAll(connections)
  return [within('others', others, 2000)]
}

async function hostileText({ port }: Target): Promise<readonly Finding[]> {
  const long = 'a/%2f-<://@password='.repeat(350)
  const attack = Promise.all(
    Array.from({ length: 100 }, async () =>
      request(port, { target: `/${long}`, headers: [`Referer: http://h/?${long}`] }),
    ),
  )
  const worst = await slowest(port, 5)
  await attack
  return [within('worst wait beside 100 requests at once', worst, 2500)]
}

async function burst({ port }: Target): Promise<readonly Finding[]> {
  const bytes = 'GET /burst HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(39) + requestBytes('GET /burst HTTP/1.1')
  const start = performance.now()
  const results = await Promise.all(Array.from({ length: 50 }, async () => wire(port, bytes, { withinMs: 60_000 })))
  const count = results.flatMap(({ responses }) => responses).filter(({ status }) => status === 404).length
  const seen = `${count} x 404 in ${Math.round(performance.now() - start)} ms`
  return [{ criterion: '2000 x 404', seen, holds: count === 2000 }]
}

async function memory(): Promise<readonly Finding[]> {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-'))
  const target = await startShop({ APP_STORE: `sqlite:${join(directory, 'store.db')}` })
  await slowest(target.port, 50)
  const start = memoryOf(target)
  const sampled: number[] = []
  for (let round = 0; round < 6; round += 1) {
    for (const attack of [deaf, hostileText, burst]) await attack(target)
    await wait(1000)
    sampled.push(Math.round(memoryOf(target)))
  }
  await target.process.end()
  await removeDirectory(directory)
  const peak = Math.max(...sampled)
  const seen = `${Math.round(start)} MB at the start, after the rounds ${sampled.join(', ')} MB`
  return [{ criterion: 'RSS < 6 x start', seen, holds: peak < 6 * start }]
}

async function otherUser(): Promise<readonly Finding[]> {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-'))
  const path = join(directory, 'store.db')
  const own = await runFile('app/main.ts', { APP_STORE: `sqlite:${path}` })
  await request(Number(new URL(own.url).port), { target: '/x' })
  const { status, stderr } = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', 'cat', path], {
    encoding: 'utf8',
  })
  await own.end()
  await removeDirectory(directory)
  return [{ criterion: 'denied (needs root)', seen: stderr.trim().split('\n')[0] ?? '', holds: status !== 0 }]
}

const threats: readonly (readonly [name: string, attack: (target: Target) => Promise<readonly Finding[]>])[] = [
  ['T80 another user reads the store', otherUser],
  ['T81 slowloris, until the cut', drip],
  ['T82 5000 idle connections', idle],
  ['T83 readers that never read', deaf],
  ['T86 stall by hostile text', hostileText],
  ['T87 burst, in development', burst],
  ['T89 memory over six rounds of T83, T86, T87', memory],
]

const wanted = process.argv.slice(2)
const target = await startShop()
let failures = 0
for (const [name, attack] of threats) {
  if (wanted.length > 0 && !wanted.some((number) => name.startsWith(`${number} `))) continue
  const findings = await attack(target)
  const { status } = await request(target.port, { target: '/zq-alive' })
  for (const { criterion, seen, holds } of [
    ...findings,
    { criterion: 'alive', seen: String(status), holds: status === 404 },
  ]) {
    if (!holds) failures += 1
    console.log(`${holds ? 'holds' : 'FAILS'}  ${name}: ${criterion}: ${seen}`)
  }
}
await target.process.end()
process.exitCode = failures === 0 ? 0 : 1
