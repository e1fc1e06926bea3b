// What the panel Code costs: `npm run bench:code`. An Express application of 300 files, of which a request runs 40 functions: how much longer it takes
// with its values, and how fast hot code of the same functions is before and after: also without these requests, in turn, which says what of that is
// noise. Times are of the processor, because others may use the machine; each start is a process of its own.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const starts = 9
const files = 300
const asked = 40

interface Measured {
  /** Speed of hot code after, divided by that before. */
  readonly ratio: number
  readonly plainMs: number
  readonly functionsMs: number
  readonly linesMs: number
  readonly calls: number
}

if (process.argv[3] !== undefined) console.log(JSON.stringify(await start(process.argv[3])))
else {
  // Below the project, whose packages it uses.
  mkdirSync('var', { recursive: true })
  const folder = mkdtempSync(path.resolve('var/bench-code-'))
  for (let at = 0; at < files; at += 1) {
    writeFileSync(
      path.join(folder, `f${at}.mjs`),
      `export function f${at}(a, b) {\n  let sum = a\n  for (const one of [a, b]) {\n    sum += one % 7\n  }\n  if (sum > 10) {\n    sum -= b\n  }\n  return sum\n}\n`,
    )
  }
  const measure = (kind: 'start' | 'without'): Measured => {
    const args = [path.resolve('bench/code/bench.ts'), kind, folder]
    const env = { ...process.env, NODE_ENV: 'development', FANLIGHT_STORE: 'memory:' }
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, env })
    const last = stdout.trim().split('\n').at(-1) ?? ''
    if (!last.startsWith('{')) throw new Error(stderr)
    return JSON.parse(last) as Measured
  }
  const pairs = Array.from({ length: starts }, () => ({ with: measure('start'), without: measure('without') }))
  const measured = pairs.map((pair) => pair.with)
  rmSync(folder, { recursive: true })
  console.table(measured)
  const median = (of: keyof Measured, from = measured): number =>
    from.map((one) => one[of]).sort((a, b) => a - b)[starts >> 1] ?? 0
  const without = median(
    'ratio',
    pairs.map((pair) => pair.without),
  )
  console.log(
    `Median: hot code ${median('ratio').toFixed(3)}, without ${without.toFixed(3)}; extra ${(median('linesMs') - median('plainMs')).toFixed(0)} ms`,
  )
}

async function start(folder: string): Promise<Measured> {
  const { default: express } = await import('express')
  const { fanlight } = await import('../../src/express.ts')
  const all: ((a: number, b: number) => number)[] = []
  for (let at = 0; at < files; at += 1) {
    const module = (await import(pathToFileURL(path.join(folder, `f${at}.mjs`)).href)) as Record<
      string,
      (typeof all)[0]
    >
    const one = module[`f${at}`]
    if (one !== undefined) all.push(one)
  }
  const app = express()
  fanlight(app)
  const used = all.slice(0, asked)
  app.get('/', (_, response) => void response.json(used.reduce((sum, one) => one(sum, 3), 1)))
  const server = app.listen(0)
  await new Promise((listening) => void server.once('listening', listening))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
  const cpuMs = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const ask = async (headers: Record<string, string> = {}): Promise<number> => {
    const startedMs = cpuMs()
    await (await fetch(url, { headers: { connection: 'close', ...headers } })).text()
    return cpuMs() - startedMs
  }
  const hot = (functions: typeof all): number => {
    const startedMs = cpuMs()
    let sum = 0
    for (let turn = 0; turn < 5000; turn += 1) for (const one of functions) sum = one(sum % 100, turn % 5)
    return cpuMs() - startedMs
  }
  // In turn with functions like them that no request runs: how fast the machine is at that moment does not count.
  const untraced = all.slice(asked, 2 * asked)
  const slowness = (): number => {
    const shares = Array.from({ length: 200 }, () => hot(used) / hot(untraced))
    return shares.sort((one, other) => one - other)[shares.length >> 1] ?? 0
  }
  for (let left = 20; left > 0; left -= 1) await ask()
  const plainMs = Math.min(await ask(), await ask(), await ask())
  slowness()
  const before = slowness()
  const code: Record<string, string> = process.argv[2] === 'start' ? { 'x-fanlight-profile': 'code' } : {}
  const functionsMs = await ask(code)
  const linesMs = await ask(code)
  slowness()
  const ratio = before / slowness()
  server.close()
  server.closeAllConnections()
  return { ratio, plainMs, functionsMs, linesMs, calls: asked }
}
