// How `fanlight dev <file>` starts a program again: what it waits for, and what is kept from one start to the next.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { compiledCode } from '../support/compiled-code.ts'
import { appFolder } from '../support/registered-app.ts'
import { until } from '../support/until.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')

/** Runs a program; `said` is what it and the command have printed. */
async function withDev(
  source: string,
  env: Readonly<Record<string, string>>,
  work: (said: () => string, change: (source: string) => void) => Promise<void>,
): Promise<void> {
  await using folder = appFolder({ 'app.mjs': source })
  const dev = spawn(process.execPath, [main, 'dev', 'app.mjs'], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(dev, 'close')
  let said = ''
  for (const output of [dev.stdout, dev.stderr]) output.on('data', (chunk: Buffer) => (said += chunk.toString()))
  try {
    await work(
      () => said,
      (changed) => writeFileSync(join(folder.path, 'app.mjs'), changed),
    )
  } finally {
    dev.kill('SIGTERM')
    await ended
  }
}

const writing = (version: string): string => `import { appendFileSync } from 'node:fs'
setInterval(() => appendFileSync('app.log', 'one line'), 2)
console.log('${version} runs')`

const keeping = `import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { getCompileCacheDir } from 'node:module'
const folder = getCompileCacheDir()
const timer = setInterval(() => {
  if (folder !== undefined && readdirSync(folder).length === 0) return
  console.log(folder === undefined ? 'keeps nothing' : 'has kept code in ' + folder)
  clearInterval(timer)
}, 10)
createServer().listen(0)`

/** Ends when the next process waits for it, at the latest after four seconds. */
const lingering = `import { readFileSync } from 'node:fs'
const list = process.env.FANLIGHT_DEV_FOLDER + '/starts'
const isAwaited = () => readFileSync(list, 'utf8').split('\\n').length > 2
process.on('SIGTERM', () => {
  const until = Date.now() + 4000
  setInterval(() => {
    if (!isAwaited() && Date.now() < until) return
    console.log('first ends at ' + Date.now() + '.')
    process.exit()
  }, 5)
})
setInterval(() => {}, 1000)
console.log('first runs')`

const following = `import { performance } from 'node:perf_hooks'
console.log('second was begun at ' + Math.floor(performance.timeOrigin) + '.')
setInterval(() => {}, 1000)`

describe('fanlight dev app.mjs', () => {
  it('begins the next process while the one before ends, and runs the program in it only then', async () => {
    await withDev(lingering, compiledCode, async (said, change) => {
      await until(() => said().includes('first runs'))
      change(following)
      await until(() => /second was begun at \d+\./.test(said()))
      const [, endedAt] = /first ends at (\d+)\.[^]*second was begun/.exec(said()) ?? []
      const [, begunAt] = /second was begun at (\d+)\./.exec(said()) ?? []
      assert.ok(Number(begunAt) < Number(endedAt), said())
    })
  })

  it('starts again although the program writes a file beside it all the time', async () => {
    await withDev(writing('first'), compiledCode, async (said, change) => {
      await until(() => said().includes('first runs'))
      change(writing('second'))
      await until(() => said().includes('second runs'))
      assert.match(said(), /app\.mjs changed/)
    })
  })

  for (const [what, env, expected] of [
    ['in its own folder', {}, /has kept code in .*fanlight-dev-/],
    ['not where coverage is counted', { NODE_V8_COVERAGE: 'coverage' }, /keeps nothing/],
    ['not where that is turned off', { NODE_DISABLE_COMPILE_CACHE: '1' }, /keeps nothing/],
  ] as const) {
    it(`keeps the compiled code of a server that listens: ${what}`, async () => {
      await withDev(keeping, env, async (said) => {
        await until(() => expected.test(said()))
      })
    })
  }
})
