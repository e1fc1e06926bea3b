import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { beginOpening, dropOpening, takeOpening } from '../../src/app/store-opening.ts'
import { loadRuntimeContext, type RuntimeContext } from '../../src/context/runtime-context.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

describe('takeOpening', () => {
  it('gives what was begun for the context, once, and opens anew for another idea of slow', async (t) => {
    const context = contextIn(makeTemporaryDirectory(t), 'memory:')
    await beginOpening(context, 500)
    const begun = await takeOpening(context, 500)
    assert.equal(begun.options.slowMs, 500)
    assert.notEqual(await takeOpening(context, 500), begun)
    await beginOpening(context, 500)
    const other = await takeOpening(context, 20.5)
    assert.equal(other.options.slowMs, 21)
    assert.equal((await other.engine).name, 'memory:')
  })

  it('keeps a failure for whoever awaits the engine', async (t) => {
    const context = contextIn(makeTemporaryDirectory(t), 'sqlite:no.db?mode=ro')
    await beginOpening(context, 500)
    const { engine } = await takeOpening(context, 500)
    await assert.rejects(engine, { code: 'ERR_STORE_URL' })
  })
})

describe('dropOpening', () => {
  it('closes a store that no application took', async (t) => {
    const directory = makeTemporaryDirectory(t)
    const context = contextIn(directory, 'sqlite:shop.db')
    await beginOpening(context, 500)
    await dropOpening(context)
    assert.deepEqual(readdirSync(directory), ['shop.db'])
    const { engine } = await takeOpening(context, 500)
    await (await engine).close()
    assert.equal(existsSync(join(directory, 'shop.db')), true)
  })
})

function contextIn(directory: string, store: string): RuntimeContext {
  return Object.freeze({ ...loadRuntimeContext({ cwd: directory, env: {} }).context, store, projectRoot: directory })
}
