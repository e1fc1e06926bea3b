// The panel of logs: its order, and what is kept of a flood.

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

async function panelOf(target: string): Promise<string> {
  const token = (await app.send({ target })).header('x-debug-token') ?? ''
  return (await app.send({ target: `/_profiler/${token}?panel=logger` })).body
}

describe('the panel of logs', () => {
  it('keeps the order of time', async () => {
    assert.match(pageText(await panelOf('/flood/5')), /line 5\..*This is why.*later 1\./s)
  })

  it('keeps the error in a flood before and after it, and says where lines were cut', async () => {
    const text = pageText(await panelOf('/flood/2000'))
    assert.match(text, /line 249\..*1,?\d+ lines cut here\..*This is why.*1,?\d+ lines cut here\..*later 2000\./s)
    assert.match(text, /501 of 4,00\d lines recorded/)
    assert.match(text, /Problems 1 error 1 info \d+ debug \d+/)
  })

  it('has every line that was kept on one page', async () => {
    const body = await panelOf('/failures/3000')
    assert.equal(new Set(body.match(/failure \d+\./g)).size, 999)
    assert.ok(body.includes('failure 1.') && body.includes('failure 3000.'))
  })

  it('is complete in an exported file, without a form', async () => {
    const token = (await app.send({ target: '/failures/800' })).header('x-debug-token') ?? ''
    const { body } = await app.send({ target: `/_profiler/export?token=${token}&as=html` })
    const [table = ''] = /<table class="table log"[^>]*>.*?<\/table>/s.exec(body) ?? []
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
