// The panel *Memory*: heap before and after each request, and who allocated in requests that ask for it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteCollection, text } from '../../../src/index.ts'
import type { MemoryData } from '../../../src/observe/collectors/memory.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { pageText } from '../../support/page-text.ts'
import { pick } from '../../support/pick.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'

const asking = ['X-Fanlight-Profile: memory']

describe('the panel of memory', () => {
  it('names the functions that allocated, of a request that asks for it', async () => {
    await using app = await startApp({ routes: routes() })
    const { profile, token } = await profileOf(app, '/rows', asking)
    const data = profile.data['memory'] as MemoryData
    const rows = data.functions.find(({ name }) => name === 'manyRows')
    assert.equal(rows?.file, 'test/profiler/measuring/memory.test.ts')
    assert.equal(rows.origin, 'own')
    // 100,000 objects with a text each, most of them garbage by the end of the request.
    assert.ok(rows.selfBytes > 2_000_000, `${rows.selfBytes} bytes`)
    assert.ok(data.totalBytes >= rows.totalBytes && rows.totalBytes >= rows.selfBytes)
    assert.equal(data.isCut, false)
    // What handles every request allocates, too: it is not the application's, but for `exchange.set()`, which the shop's currency calls.
    const ours = data.functions.filter(
      ({ file, name }) =>
        (file.includes('src/http/kernel') && !(name === 'set' && file.endsWith('/exchange.ts'))) ||
        file === 'node:inspector',
    )
    assert.deepEqual(pick(ours, 'name'), [])
    const handler = data.functions.find(({ name }) => name === 'handler of rows')
    assert.ok((handler?.totalBytes ?? 0) >= rows.totalBytes)
    const { body } = await app.send({ target: `/_profiler/${token}?panel=memory` })
    assert.match(pageText(body), /Heap before .* Allocations .* MB allocated by your code and what it called/)
    assert.match(
      pageText(body),
      /manyRows test\/profiler\/measuring\/memory\.test\.ts:\d+ [\d.]+ MB \d+ % [\d.]+ MB your code/,
    )
    const markdown = await app.send({ target: `/_profiler/${token}.md?panel=memory` })
    assert.match(
      markdown.body,
      /^- `manyRows` `test\/profiler\/measuring\/memory\.test\.ts:\d+`, self [\d.]+ MB \d+ %, total [\d.]+ MB, `your code`$/m,
    )
  })

  it('shows the heap, and how to have the rest, of other requests', async () => {
    await using app = await startApp({ routes: routes() })
    for (const headers of [[], ['X-Fanlight-Profile: heap'], [...asking, 'Origin: http://evil.example']]) {
      const { profile, token } = await profileOf(app, '/rows', headers)
      assert.equal(profile.data['memory'], undefined)
      const { body } = await app.send({ target: `/_profiler/${token}?panel=memory` })
      assert.match(pageText(body), /Heap before .* Heap after .* Allocations were not sampled\./)
      assert.match(pageText(body), /x-fanlight-profile: memory/)
    }
  })

  it('samples for one request at a time, and says so in the others', async () => {
    await using app = await startApp({ routes: routes() })
    const first = app.send({ target: '/held', headers: asking })
    const { promise, resolve } = Promise.withResolvers<void>()
    held.arrived = resolve
    await promise
    const second = await profileOf(app, '/rows', asking)
    held.release?.()
    assert.match(JSON.stringify(second.profile.data['notes']), /being sampled for another request/)
    const token = (await first).header('x-debug-token') ?? ''
    assert.ok((await app.profiles.read(token))?.data['memory'])
    // Afterwards it is free again.
    assert.ok((await profileOf(app, '/rows', asking)).profile.data['memory'])
  })
})

const held: { arrived?: () => void; release?: () => void } = {}

function routes(): RouteCollection {
  const table = new RouteCollection()
  table.get('rows', '/rows', () => text(String(manyRows().length)))
  table.get('held', '/held', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held.release = resolve
    held.arrived?.()
    await promise
    return text('released')
  })
  return table
}

function manyRows(): object[] {
  const rows: object[] = []
  for (let index = 0; index < 100_000; index += 1) rows.push({ index, name: `row ${index}` })
  return rows.slice(0, 10)
}

async function profileOf(
  app: RunningApp,
  target: string,
  headers: readonly string[],
): Promise<{ profile: Profile; token: string }> {
  const response = await app.send({ target, headers: [...headers] })
  const token = response.header('x-debug-token') ?? ''
  const profile = await app.profiles.read(token)
  assert.ok(profile)
  return { profile, token }
}
