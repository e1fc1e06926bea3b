// The bar of replays: 60 recorded requests of the shop, sent again, give the same status in all, and the same profile but for
// times and sizes in at least 95 of 100.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Comparison } from '../../../src/analysis/compare/compare.ts'
import { askReplay } from '../../../src/analysis/replay/ask-replay.ts'
import { startApp } from '../../support/running-app.ts'

/** What differs beyond times and sizes. */
function differences({ sections }: Comparison): readonly string[] {
  return sections.flatMap((section) => {
    if (section.kind === 'texts')
      return section.differences.map(({ name, a, b }) => `${section.name} ${name}: ${b} → ${a}`)
    return section.differences
      .filter(({ numbers }) =>
        numbers.some(({ delta }, index) => delta !== 0 && section.measures[index]?.unit === 'count'),
      )
      .filter(({ name }) => !name.endsWith(', ms') && name !== 'response size')
      .map(({ name }) => `${section.name} ${name}`)
  })
}

it('repeats 60 requests of the shop', async () => {
  await using app = await startApp({ isShop: true })
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: app.url, 'sec-fetch-site': 'same-origin' }
  const targets: readonly (readonly [string, RequestInit])[] = [
    ['/', {}],
    ['/products', {}],
    ['/products?page=2', {}],
    ['/products?sort=price', { headers: { accept: 'text/html' } }],
    ['/nowhere', {}],
    ['/nowhere', { headers: { accept: 'application/json' } }],
    ['/products', { method: 'DELETE' }],
    ['/health', {}],
    ['/basket', {}],
    ['/basket', { method: 'POST', headers: form, body: 'slug=nothing' }],
  ]
  const tokens: string[] = []
  for (let count = 0; count < 60; count += 1) {
    const [target, init] = targets[count % targets.length] ?? assert.fail()
    const response = await fetch(`${app.url}${target}`, { redirect: 'manual', ...init })
    await response.arrayBuffer()
    tokens.push(response.headers.get('x-debug-token') ?? assert.fail(target))
  }
  const profiler = { url: new URL('/_profiler', app.url) }
  let same = 0
  const other = new Set<string>()
  for (const token of tokens) {
    const body = 'slug=nothing'
    const recorded = (await app.profiles.read(token)) ?? assert.fail(token)
    const order = { token, isConfirmed: true, ...(recorded.method === 'POST' ? { body } : {}) }
    const answer = await askReplay(profiler, order)
    assert.ok(answer.state === 'sent', JSON.stringify(answer))
    const { run } = answer.report
    assert.equal(run.status, recorded.status, recorded.url)
    assert.ok(answer.report.compared !== null)
    const found = differences(answer.report.compared.comparison)
    if (found.length === 0) same += 1
    for (const one of found) other.add(`${recorded.method} ${recorded.url}: ${one}`)
  }
  assert.ok(same >= 57, `${same} of 60: ${[...other].join('\n')}`)
})
