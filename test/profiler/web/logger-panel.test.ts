// The panel of logs: order, filters and pages through the address, and what is kept of a flood.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json, RouteCollection } from '../../../src/index.ts'
import { loggerCollector, type LoggerData } from '../../../src/observe/collectors/logger.ts'
import { makeRecord } from '../../support/error-view.ts'
import { pageText } from '../../support/page-text.ts'
import { forAll } from '../../support/for-all.ts'
import { startApp } from '../../support/running-app.ts'

const routes = new RouteCollection()
routes.get('flood', '/flood/{lines<\\d+>}', ({ request: { params }, log }) => {
  for (let line = 1; line <= Number(params.lines); line += 1) log.debug(`line ${line}.`)
  log.error('This is why')
  for (let line = 1; line <= Number(params.lines); line += 1) log.debug(`later ${line}.`)
  return json({})
})
routes.get('failures', '/failures/{lines<\\d+>}', ({ request: { params }, log }) => {
  for (let line = 1; line <= Number(params.lines); line += 1) log.error(`failure ${line}.`)
  return json({})
})
const app = await forAll(startApp({ routes }))

async function panelOf(target: string): Promise<(query?: string) => Promise<string>> {
  const token = (await app.send({ target })).header('x-debug-token') ?? ''
  return async (query = '') => (await app.send({ target: `/_profiler/${token}?panel=logger${query}` })).body
}

const rowsOf = (body: string): readonly string[] => body.match(/<tr class="l-[^>]*>/g) ?? []

describe('the panel of logs', () => {
  it('keeps the order of time, and puts problems first where the address says so', async () => {
    const panel = await panelOf('/flood/5')
    assert.match(pageText(await panel()), /line 5\..*This is why.*later 1\./s)
    assert.match(pageText(await panel('&order=problems')), /This is why.*line 1\..*later 5\./s)
  })

  it('keeps the error in a flood before and after it, and says where lines were cut', async () => {
    const panel = await panelOf('/flood/2000')
    const text = pageText(await panel())
    assert.match(text, /line 249\..*1,?\d+ lines cut here\..*This is why.*1,?\d+ lines cut here\..*later 2000\./s)
    assert.match(text, /501 of 4,00\d lines recorded/)
    assert.match(text, /Problems 1 error 1 info \d+ debug \d+/)
  })

  it('finds text and levels in all lines that were kept', async () => {
    const panel = await panelOf('/flood/2000')
    const found = await panel('&find=LATER%201999')
    assert.match(pageText(found), /1 of 501 lines/)
    assert.equal(rowsOf(found).filter((row) => !row.includes('hidden')).length, 1)
    assert.match(pageText(await panel('&level=error')), /1 of 501 lines/)
    assert.match(pageText(await panel('&find=nowhere')), /0 of 501 lines/)
    assert.ok(rowsOf(await panel('&level=loud')).every((row) => !row.includes('hidden')))
  })

  it('reaches every line that was kept, page by page', async () => {
    const panel = await panelOf('/failures/3000')
    const seen = new Set<string>()
    let next: string | undefined = ''
    while (next !== undefined) {
      const body = await panel(next)
      assert.ok(Buffer.byteLength(body) < 260_000)
      for (const [line] of body.matchAll(/failure \d+\./g)) seen.add(line)
      next = /href="[^"]*?logger&amp;type=request([^"]*)">Next</.exec(body)?.[1]?.replaceAll('&amp;', '&')
    }
    assert.equal(seen.size, 999)
    assert.ok(seen.has('failure 1.') && seen.has('failure 3000.'))
    const found = pageText(await panel('&find=failure%203000&level=error'))
    assert.match(found, /1 of 1000 lines.*failure 3000\./s)
    assert.match(pageText(await panel('&find=nowhere')), /No line matches\./)
    assert.match(pageText(await panel('&from=9999')), /Lines 1–600 of 1,000/)
  })

  it('is complete in an exported file, without a form', async () => {
    const token = (await app.send({ target: '/failures/800' })).header('x-debug-token') ?? ''
    const { body } = await app.send({ target: `/_profiler/export?token=${token}&as=html` })
    const [table = ''] = /<table class="table log">.*?<\/table>/s.exec(body) ?? []
    assert.equal(new Set(table.match(/failure \d+\./g)).size, 800)
    assert.ok(!body.includes('log-filter screen-only'))
  })
})

it('loggerCollector.cut: keeps problems, the first and the last lines, and counts the rest at its place', () => {
  const records = Array.from({ length: 100 }, (_, index) =>
    makeRecord({
      message: `line ${index}`,
      level: index === 50 ? 'error' : 'debug',
      ...(index === 60 && { leftOutBefore: 7 }),
    }),
  )
  const data = loggerCollector.cut?.({ records, dropped: 7 }, 2500) as LoggerData
  const kept = data.records.map(({ message }) => Number(message.slice(5)))
  assert.ok(kept.length > 5 && kept.length < 50)
  assert.ok(kept.includes(0) && kept.includes(50) && kept.includes(99))
  assert.equal(data.dropped, 107 - kept.length)
  assert.equal(
    data.records.reduce((sum, { leftOutBefore = 0 }) => sum + leftOutBefore, 0),
    data.dropped,
  )
  assert.ok(Buffer.byteLength(JSON.stringify(data.records)) <= 2500)
})
