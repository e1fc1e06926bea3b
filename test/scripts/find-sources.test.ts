// What the quick way to sources leaves as it is.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

const run = async (code: string): Promise<string> => {
  const args = ['--import=./scripts/find-sources.ts', '--input-type=module', '--eval', code]
  return (await promisify(execFile)(process.execPath, args)).stdout.trim()
}

describe('scripts/find-sources.ts', () => {
  it('gives the same module whichever way it is named', async () => {
    const code = `
      const { Big } = await import('big.js')
      const plainly = await import('./src/currency/money.ts')
      const around = await import('./src/currency/../currency/money.ts')
      console.log(typeof Big, plainly === around, plainly === (await import(new URL('src/currency/money.ts', import.meta.url))))`
    assert.equal(await run(code), 'function true true')
  })

  it('leaves what is not there to Node, which names the file and who wanted it', async () => {
    const code = `await import('./src/nowhere.ts').catch(({ code, message }) => console.log(code, message))`
    assert.match(await run(code), /^ERR_MODULE_NOT_FOUND Cannot find module '.*src\/nowhere\.ts' imported from .*$/)
  })
})
