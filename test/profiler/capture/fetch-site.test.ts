// The global fetch while it is watched: the same to whoever calls it, and left as it was.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fetchSite, watchFetch } from '../../../src/profiler/capture/fetch-site.ts'

describe('watchFetch', () => {
  it('looks like the fetch that it stands for, and gives that back when the last one leaves', () => {
    const { fetch: original } = globalThis
    const leaveFirst = watchFetch()
    const leaveSecond = watchFetch()
    assert.notEqual(globalThis.fetch, original)
    assert.deepEqual([globalThis.fetch.name, globalThis.fetch.length], [original.name, original.length])
    leaveFirst()
    leaveFirst()
    assert.notEqual(globalThis.fetch, original)
    leaveSecond()
    assert.equal(globalThis.fetch, original)
  })

  it('passes calls on as they are, outside a recorded request too', async () => {
    const leave = watchFetch()
    try {
      await assert.rejects(Reflect.apply(globalThis.fetch, undefined, []), TypeError)
      const answer = await fetch('data:text/plain,hello', { method: 'GET' })
      assert.equal(await answer.text(), 'hello')
      assert.equal(fetchSite(), null)
    } finally {
      leave()
    }
  })

  it('keeps what somebody has put around it', async () => {
    const { fetch: original } = globalThis
    const leave = watchFetch()
    const { fetch: watched } = globalThis
    const around: typeof fetch = async (...values) => watched(...values)
    globalThis.fetch = around
    leave()
    try {
      assert.equal(globalThis.fetch, around)
      assert.equal(await (await fetch('data:text/plain,hello')).text(), 'hello')
    } finally {
      globalThis.fetch = original
    }
  })
})
