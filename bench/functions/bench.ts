// How many of our functions, in how many files, one warm recorded request runs in the main thread until its profile is stored:
// `npm run bench:functions -- [--list]`. The request is a GET with one parameter; what an idle second runs is left out.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { markdownTable } from '../http/figures.ts'
import type { CalledFunction } from './measured.ts'

const { values: flags } = parseArgs({ options: { list: { type: 'boolean', default: false } } })

const recorded = await measure({ APP_ENV: 'dev', APP_DEBUG: '1' })
const plain = await measure({ APP_ENV: 'prod', APP_DEBUG: '0' })

if (flags.list) {
  for (const [file, functions] of byFile(recorded)) {
    const names = functions.map(({ name, calls }) => (calls === 1 ? name : `${name} ×${calls}`))
    console.log(`${String(functions.length).padStart(3)} ${file}: ${names.join(', ')}`)
  }
}
const row = (name: string, functions: readonly CalledFunction[]): string[] => [
  name,
  String(functions.length),
  String(byFile(functions).length),
  String(functions.reduce((sum, { calls }) => sum + calls, 0)),
]
console.log(
  markdownTable(
    ['one request', 'functions', 'files', 'calls'],
    [row('recorded (dev)', recorded), row('off (prod)', plain)],
  ),
)

async function measure(env: Readonly<Record<string, string>>): Promise<readonly CalledFunction[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'fanlight-bench-functions-'))
  try {
    const child = fork(new URL('measured.ts', import.meta.url), [`--cwd=${cwd}`], {
      env: { PATH: process.env['PATH'], PORT: '0', ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const exited = once(child, 'exit')
    const [functions] = (await Promise.race([once(child, 'message'), exited.then(() => [[]])])) as [CalledFunction[]]
    await exited
    if (functions.length === 0) throw new Error('The measured process ran no function of ours')
    return functions
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** Files with most functions first. */
function byFile(functions: readonly CalledFunction[]): readonly (readonly [string, readonly CalledFunction[]])[] {
  const files = Map.groupBy(functions, ({ file }) => file)
  return [...files].toSorted(([, one], [, other]) => other.length - one.length)
}
