import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { text } from '../../src/base/http/reply.ts'
import { dump } from '../../src/observe/dump.ts'
import type { DumpData } from '../../src/observe/collectors/dump.ts'
import { hostileValues } from '../support/hostile-values.ts'
import { pageText, shopRoutes, startApp, type RunningApp } from '../support/running-app.ts'

async function dumping(work: () => unknown): Promise<RunningApp & { token: string; data: DumpData }> {
  const routes = shopRoutes()
  routes.get('dumping', '/dumping', async () => text(String(await work())))
  const running = await startApp({ routes })
  const token = (await running.send({ target: '/dumping' })).header('x-debug-token') ?? ''
  const profile = await running.profiles.read(token)
  return Object.assign(running, { token, data: profile!.data['dump'] as DumpData })
}

describe('dump', () => {
  it('gives the value back, and does nothing outside a request', () => {
    const value = { a: 1 }
    assert.equal(dump(value), value)
    assert.equal(dump(null, 'nothing'), null)
  })

  it('shows the value as it was, with label, file and line', async () => {
    await using running = await dumping(async () => {
      const order = { id: 7, items: ['lamp'] }
      dump(order, 'the order')
      order.id = 8
      await Promise.resolve()
      return dump('later')
    })
    const [first, second] = running.data.dumps
    assert.deepEqual(first?.value, { id: 7, items: ['lamp'] })
    assert.equal(first?.label, 'the order')
    assert.match(first?.place ?? '', /test\/profiler\/dump\.test\.ts:\d+$|dump\.test\.ts:\d+$/)
    assert.equal(second?.value, 'later')
    const { body } = await running.send({ target: `/_profiler/${running.token}?panel=dump` })
    assert.ok(pageText(body).includes('the order') && pageText(body).includes('"lamp"'))
  })

  it('masks secrets by key, by label and by form', async () => {
    await using running = await dumping(() => {
      dump({ password: 'canary', nested: { token: 'canary' } })
      dump('canary', 'password')
      dump('Authorization: Bearer canary-0123456789')
      return 'done'
    })
    assert.ok(!JSON.stringify(running.data).includes('canary'))
    assert.ok(JSON.stringify(running.data).includes('******'))
  })

  it('keeps a hundred, counts the rest, and says so', async () => {
    await using running = await dumping(() => {
      for (let index = 0; index < 130; index += 1) dump(index)
      return 'done'
    })
    assert.deepEqual([running.data.dumps.length, running.data.dropped], [100, 30])
    const { body } = await running.send({ target: `/_profiler/${running.token}?panel=dump` })
    assert.ok(pageText(body).includes('100 of 130 dumps recorded'))
  })

  it('takes any value without touching the answer', async () => {
    await using running = await dumping(() => {
      for (const value of Object.values(hostileValues)) dump(value())
      return 'untouched'
    })
    assert.ok(running.data.dumps.length > 5)
    assert.equal((await running.send({ target: '/dumping' })).body.trim(), 'untouched')
    assert.equal((await running.send({ target: `/_profiler/${running.token}?panel=dump` })).status, 200)
  })
})
