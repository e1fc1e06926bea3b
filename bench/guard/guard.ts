// Counts the bytes that a request allocates with recording off, ours beside bare node:http, and compares with the committed
// figures: `npm run bench:guard`, `-- --write` to commit to new ones. Bytes do not depend on how busy a machine is; a
// request that allocates more than it did has grown, whatever a clock says. Exits with 1 when one has.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { PerformanceObserver } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { markdownTable, median } from '../http/figures.ts'
import { MemorySocket } from './memory-socket.ts'
import { bareServer, guarded, ourServer } from './servers.ts'

/** Bytes a request, by its name. */
type Figures = Record<string, { readonly bare: number; readonly ours: number }>

const file = new URL('figures.json', import.meta.url)
/** A figure may be this much above the committed one: what the optimizer removes differs a little from run to run. */
const tolerance = 1.08
const { values: flags } = parseArgs({ options: { write: { type: 'boolean' }, count: { type: 'boolean' } } })

if (flags.count === true) console.log(JSON.stringify(await count()))
else compare()

function compare(): void {
  // A young generation that holds a whole round: nothing is collected while it is counted.
  const args = ['--min-semi-space-size=256', '--max-semi-space-size=256', import.meta.filename, '--count']
  const counted = JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n').at(-1)!,
  ) as Figures
  if (flags.write === true) writeFileSync(file, `${JSON.stringify(counted, null, 2)}\n`)
  const committed = JSON.parse(readFileSync(file, 'utf8')) as Figures
  let hasGrown = false
  const rows = Object.entries(counted).map(([name, { bare, ours }]) => {
    const before = committed[name]?.ours ?? 0
    const isMore = ours > before * tolerance
    hasGrown ||= isMore
    return [name, String(bare), String(ours), String(ours - bare), String(before), isMore ? '**grown**' : 'as before']
  })
  console.log(`Node ${process.versions.node}, bytes allocated by one request, recording off.\n`)
  console.log(markdownTable(['request', 'bare node:http', 'fanlight', 'more', 'committed', ''], rows))
  if (hasGrown) process.exitCode = 1
}

async function count(): Promise<Figures> {
  const bare = bareServer()
  const { server, close } = await ourServer()
  const figures: Figures = {}
  for (const [name, request] of Object.entries(guarded)) {
    figures[name] = { bare: await bytesOf(bare, request), ours: await bytesOf(server, request) }
  }
  await close()
  return figures
}

async function bytesOf(server: Server, request: string): Promise<number> {
  const socket = new MemorySocket()
  server.emit('connection', socket)
  // Until the optimizer has done what it will do.
  for (let round = 0; round < 20; round += 1) await socket.ask(request, 2000)
  const rounds: number[] = []
  let collections = 0
  const observer = new PerformanceObserver((list) => (collections += list.getEntries().length))
  observer.observe({ entryTypes: ['gc'] })
  const perRound = 2000
  for (let round = 0; round < 25; round += 1) {
    const before = process.memoryUsage().heapUsed
    await socket.ask(request, perRound)
    const bytes = process.memoryUsage().heapUsed - before
    // A collection in between makes the difference meaningless, mostly negative.
    if (bytes > 0) rounds.push(bytes / perRound)
  }
  observer.disconnect()
  socket.destroy()
  if (rounds.length < 10)
    throw new Error(`Only ${rounds.length} rounds without a collection (${collections} collections)`)
  return Math.round(median(rounds))
}
