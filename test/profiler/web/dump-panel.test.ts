// The panel of dumps: types, folding, circles, cuts, and dumps that an earlier version kept.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import type { Dump } from '../../../src/observe/collectors/dump.ts'
import { dumpPart } from '../../../src/observe/collectors/dump.ts'
import { describedPanel } from '../../../src/analysis/pages/panels.ts'
import { hostileText } from '../../support/hostile-profile.ts'
import { pageText } from '../../support/page-text.ts'
import { makeProfile } from '../../support/profiles.ts'

const view = { profile: makeProfile({}), linkTo: (token: string) => `/_profiler/${token}` }
const redactor = new Redactor()

function draw(...dumps: readonly Partial<Dump>[]): string {
  const rest = { label: null, functionName: 'pay', place: 'src/a.ts:1', timeMs: 1, value: null }
  return String(
    describedPanel(dumpPart).render({ dumps: dumps.map((dump) => Object.assign({}, rest, dump)), dropped: 0 }, view),
  )
}

const dumped = (value: unknown): string => draw(redactor.dumped({ value }, 'value', { maxKeys: 20, maxDepth: 8 }))
const textOf = (markup: string): string => pageText(markup).replace(/\s+/g, ' ')

describe('describedPanel(dumpPart)', () => {
  it('shows types and sizes', () => {
    const text = textOf(
      dumped({
        map: new Map([['a', 1]]),
        tags: new Set(['x', 'y']),
        when: new Date(0),
        list: [1, 2],
        where: new URL('http://shop.example/'),
        none: undefined,
      }),
    )
    assert.match(text, /object\(6\) .*map: Map\(1\) "a" => 1 .*tags: Set\(2\) \["x", "y"\]/)
    assert.match(
      text,
      /when: Date 1970-01-01T00:00:00.000Z list: array\(2\) \[1, 2\] where: URL http:\/\/shop\.example\//,
    )
    assert.match(text, /none: undefined/)
  })

  it('names circles by their path, and says at its place what was cut', () => {
    const order: Record<string, unknown> = { items: [{ lines: { total: 1 } }] }
    const [item] = order['items'] as [Record<string, unknown>]
    item['order'] = order
    item['same'] = { item }
    const text = textOf(dumped(order))
    assert.match(text, /order: ↻ circular, same as \$ /)
    assert.match(text, /item: ↻ circular, same as \$\.items\[0\]/)
    assert.match(
      textOf(dumped(Array.from({ length: 300 }, (_, index) => index))),
      /array\(300\) .*… 280 more, cut here/,
    )
  })

  it('folds below the second level, and long strings', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`name${index}`, { deep: [index] }]))
    const markup = dumped({ first: { second: many, text: 'x'.repeat(900) } })
    assert.match(markup, /<details class="fold">\s*<summary><b class="v-head">object\(9\)/)
    assert.match(textOf(markup), /"x{60}…" 900 characters/)
  })

  it('draws dumps that were kept without a tree', () => {
    const text = textOf(draw({ value: { id: 7, items: ['lamp'], password: '******' } }))
    assert.match(text, /object\(3\) id: 7 items: array\(1\) \["lamp"\] password: \*{6}/)
    assert.match(textOf(draw({ value: 'two\nlines' })), /"two lines"/)
  })

  it('lets no text leave its place, and stays below a megabyte', () => {
    const value = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`${hostileText}${index}`, [hostileText]]),
    )
    const dump = redactor.dumped({ value }, 'value', { maxTotalLength: 16_384 })
    const markup = draw(...Array.from({ length: 100 }, () => dump))
    assert.doesNotMatch(markup, /<img|<svg onload|<script/)
    assert.ok(markup.length < 900_000, String(markup.length))
  })
})
