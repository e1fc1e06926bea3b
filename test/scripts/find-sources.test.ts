// What the quick way to sources leaves as it is.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const run = async (code: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const args = ['--import=./scripts/find-sources.ts', '--input-type=module', '--eval', code]
  return (await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } })).stdout.trim()
}

describe('scripts/find-sources.ts', () => {
  it('gives the same module whichever way it is named', async () => {
    const code = `
      const { Big } = await import('big.js')
      const plainly = await import('./src/plugins/currency/money.ts')
      const around = await import('./src/plugins/currency/../currency/money.ts')
      console.log(typeof Big, plainly === around, plainly === (await import(new URL('src/plugins/currency/money.ts', import.meta.url))))`
    assert.equal(await run(code), 'function true true')
  })

  it('leaves what is not there to Node, which names the file and who wanted it', async () => {
    const code = `await import('./src/nowhere.ts').catch(({ code, message }) => console.log(code, message))`
    assert.match(await run(code), /^ERR_MODULE_NOT_FOUND Cannot find module '.*src\/nowhere\.ts' imported from .*$/)
  })

  it('has Node write compiled code, and let go of it, while sources are loaded; the most of it at the end, where all is new', async (context) => {
    const directory = makeTemporaryDirectory(context)
    const code = `
      import { globSync } from 'node:fs'
      const count = () => globSync(process.env.NODE_COMPILE_CACHE + '/*/*').length
      const before = count()
      await import(process.env.LOADED)
      console.log(before, count())`
    const load = async (source: string): Promise<readonly number[]> =>
      (await run(code, { NODE_COMPILE_CACHE: directory, LOADED: source })).split(' ').map(Number)
    const [none = NaN, some = NaN] = await load('./src/index.ts')
    const [most = NaN, same = NaN] = await load('./src/index.ts')
    const [, more = NaN] = await load('./src/app/debug-parts.ts')
    assert.equal(none, 0)
    assert.ok(some >= 32, `${some} while loading`)
    assert.ok(most > 2 * some, `${most} at the end`)
    assert.equal(same, most)
    assert.ok(more > most, `${more} after ${most}`)
  })
})
