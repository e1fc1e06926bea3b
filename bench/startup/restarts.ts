// How long it takes from saving a file until the new page is there: `node bench/startup/restarts.ts [rounds]`. An Express application under
// `fanlight dev`, as installed, and under `node --watch`; a change of one and of the other in turn. Prints least times, medians and the
// middle half in milliseconds.

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { builtCli, installPackage } from '../../scripts/built-shop.ts'
import { freePort } from '../../test/support/free-port.ts'
import { markdownTable, median, middleHalf } from '../http/figures.ts'

const rounds = Number(process.argv[2] ?? 9)
/** What is between two changes, in milliseconds: a start is over by then, and so is what it keeps for the next one. */
const pauseMs = 2500

interface Watched {
  readonly name: string
  readonly folder: string
  readonly url: string
  readonly child: ChildProcess
  readonly times: number[]
}

// Below the project, whose packages it uses.
mkdirSync('var', { recursive: true })
const directory = mkdtempSync(resolve('var/bench-restarts-'))
const running: Watched[] = []
try {
  for (const [name, args] of [
    ['fanlight dev', [builtCli, 'dev']],
    ['node --watch', ['--watch']],
  ] as const)
    running.push(await start(name, args))
  for (let round = 0; round <= rounds; round += 1) {
    for (const watched of running) {
      const ms = await change(watched, `version ${round}`)
      // The first start has nothing kept.
      if (round > 0) watched.times.push(ms)
      await setTimeout(pauseMs)
    }
  }
} finally {
  for (const { child } of running) child.kill('SIGTERM')
  rmSync(directory, { recursive: true, force: true })
}
console.log(
  markdownTable(
    ['', 'least', 'median', 'middle half'],
    running.map(({ name, times }) => [
      name,
      Math.min(...times).toFixed(0),
      median(times).toFixed(0),
      middleHalf(times, 0),
    ]),
  ),
)

async function start(name: string, args: readonly string[]): Promise<Watched> {
  const folder = join(directory, name.replaceAll(/\W+/g, '-'))
  await installPackage(folder)
  symlinkSync(resolve('node_modules/express'), join(folder, 'node_modules/express'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeProgram(folder, 'the first')
  const port = String(await freePort())
  const child = spawn(process.execPath, [...args, 'app.js'], {
    cwd: folder,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], PORT: port },
  })
  const watched = { name, folder, url: `http://127.0.0.1:${port}/`, child, times: [] }
  await shows(watched, 'the first')
  await setTimeout(pauseMs)
  return watched
}

async function change(watched: Watched, version: string): Promise<number> {
  const startedMs = performance.now()
  writeProgram(watched.folder, version)
  await shows(watched, version)
  return performance.now() - startedMs
}

function writeProgram(folder: string, version: string): void {
  writeFileSync(
    join(folder, 'app.js'),
    `import express from 'express'\nconst app = express()\napp.get('/', (request, response) => void response.send('<h1>${version}</h1>'))\napp.listen(Number(process.env.PORT), '127.0.0.1')\n`,
  )
}

async function shows({ url }: Watched, version: string): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(url, { headers: { connection: 'close' } })
      if ((await response.text()).includes(`<h1>${version}</h1>`)) return
    } catch {
      // It starts.
    }
    await setTimeout(4)
  }
}
