// The panel *Memory*: heap before and after each request, and who allocated in requests that ask for it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteCollection, text } from '../../../src/index.ts'
import { memoryCollector, type MemoryData } from '../../../src/observe/collectors/functions.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import type { RequestRecord } from '../../../src/observe/request-record.ts'
import { memoryPart } from '../../../src/profiles/measured-parts.ts'
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
    // What handles every request allocates, too; neither that nor what the code itself calls of this library is the application's.
    const ours = data.functions.filter(({ file }) => /^(?:src|fanlight|node:inspector)\b/.test(file))
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

  it('leaves out what the library allocated, and says how much that was', async () => {
    await using app = await startApp({ routes: routes() })
    const { profile, token } = await profileOf(app, '/matches', asking)
    const { functions, totalBytes, libraryBytes } = profile.data['memory'] as MemoryData
    assert.ok(libraryBytes > 100_000, `${libraryBytes} bytes`)
    const handler = functions.find(({ name }) => name === 'handler of matches')
    assert.ok(handler !== undefined && handler.totalBytes <= totalBytes)
    assert.deepEqual(
      pick(functions, 'file').filter((file) => file.startsWith('src/')),
      [],
    )
    const { body } = await app.send({ target: `/_profiler/${token}?panel=memory` })
    assert.match(pageText(body), /Fanlight's own functions allocated another [\d.]+ [KM]B, not shown\./)
  })

  it('puts own code first, then dependencies, then Node, and only counts what is below one percent', () => {
    const made = [
      ['push', '', 4000, 4000],
      ['parse', 'file:///srv/app/node_modules/qs/index.js', 2000, 3000],
      ['tiny', 'file:///srv/app/node_modules/qs/index.js', 50, 9000],
      ['nextTick', 'node:process', 60, 60],
      ['handler', 'file:///srv/app/src/app.ts', 0, 9900],
      ['rows', 'file:///srv/app/src/rows.ts', 40, 500],
      ['once', 'file:///srv/app/src/rows.ts', 20, 20],
    ] as const
    const functions = made.map(([name, location, selfBytes, all]) => {
      return { name, location, line: 1, column: 1, selfBytes, totalBytes: all }
    })
    const rest = { dropped: 2, totalBytes: 10_000, libraryBytes: 0, isCut: false, startTookMs: 1, stopTookMs: 1 }
    const record = { route: null, parts: { allocations: { functions, ...rest } } } as unknown as RequestRecord
    const data = memoryCollector('/srv/app').collect(record)
    assert.ok(data)
    const blocks = memoryPart.draw(data, {} as Profile)
    const rows = blocks.flatMap((block) => (block?.kind === 'table' ? block.rows : []))
    assert.deepEqual(
      rows.map(({ cells: [name, self] }) => [Object(Object(name)[0]).recorded, self]),
      [
        ['rows', ['40 B', { quiet: '< 1 %' }]],
        ['handler', '–'],
        ['parse', ['2.0 KB', { quiet: '20 %' }]],
        ['push', ['3.9 KB', { quiet: '40 %' }]],
      ],
    )
    assert.match(JSON.stringify(blocks), /… and 5 smaller functions\./)
    assert.doesNotMatch(JSON.stringify(blocks), /Fanlight's own/)
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
  table.get('matches', '/matches', () => text(String(manyTables().length)))
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

/** Tables of routes are the library's work. */
function manyTables(): object[] {
  return Array.from({ length: 300 }, (_, index) => {
    const made = new RouteCollection()
    made.get(`one ${index}`, `/one/{id}/${index}`, () => text(''))
    return made
  })
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
