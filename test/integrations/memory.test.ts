// Allocations of a request that Express serves.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { it } from 'node:test'
import type { TimeData } from '../../src/observe/collectors/time.ts'
import { ask, listen, profileOf, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/express.ts')
const { default: express } = await import('express')

it('are sampled where the request asks for it', async (test) => {
  const app = fanlight(express())
  app.get('/rows', function manyRows(_, response) {
    const rows: object[] = []
    for (let index = 0; index < 100_000; index += 1) rows.push({ index, name: `row ${index}` })
    response.send(String(rows.length))
  })
  const { port } = await listen(test, createServer(app))
  // The first request waits until the profiler has started.
  await ask(port, { path: '/rows' })
  const got = await ask(port, { path: '/rows', headers: { 'x-fanlight-profile': 'memory' } })
  const { data } = await profileOf(port, tokenOf(got))
  const { functions } = data['memory'] as { functions: readonly { name: string; selfBytes: number }[] }
  assert.ok((functions.find(({ name }) => name === 'manyRows')?.selfBytes ?? 0) > 2_000_000)
  // It waited for nothing.
  const { ownCpuMs, spans } = data['time'] as Pick<TimeData, 'ownCpuMs' | 'spans'>
  const handlerMs = spans.find(({ category }) => category === 'controller')?.durationMs ?? assert.fail()
  assert.ok((ownCpuMs ?? 0) > handlerMs / 2, `${ownCpuMs} of ${handlerMs} ms`)
})
