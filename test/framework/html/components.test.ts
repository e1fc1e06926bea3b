import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  badge,
  emptyState,
  formatBytes,
  formatDuration,
  formatTime,
  keyValueTable,
  statusTone,
} from '../../../src/base/html/components.ts'
import { html } from '../../../src/base/html/html.ts'
import { pageText } from '../../support/page-text.ts'

it('statusTone: gives each class of status its tone', () => {
  const tones = [0, 103, 200, 204, 302, 404, 499, 500, 503].map(statusTone)
  assert.deepEqual(tones, ['neutral', 'neutral', 'success', 'success', 'info', 'warning', 'warning', 'error', 'error'])
})

it('badge: escapes its content and carries its tone', () => {
  assert.equal(String(badge('<b>', 'error')), '<span class="badge tone-error">&lt;b&gt;</span>')
  assert.equal(pageText(badge(12)), '12')
})

describe('keyValueTable', () => {
  it('shows names and values, escaped, and markup as it is', () => {
    const table = keyValueTable([
      ['<n>', '<v>'],
      ['m', html`<b>x</b>`],
    ])
    assert.equal(pageText(table), '<n><v> m x'.replace('<n><v>', '<n> <v>'))
    assert.ok(String(table).includes('<b>x</b>'))
  })
  it('says so in a sentence when there is nothing', () => {
    assert.equal(pageText(keyValueTable([], { empty: 'No query.' })), 'No query.')
    assert.equal(pageText(emptyState('Nothing was logged.')), 'Nothing was logged.')
  })
})

describe('formatDuration', () => {
  it('keeps three figures and the fitting unit', () => {
    const shown = [0, 0.004, 9.994, 9.996, 99.94, 99.96, 340.4, 999.6, 1250, 59_900, 59_990, 125_000].map(
      formatDuration,
    )
    assert.deepEqual(shown, [
      '0.00 ms',
      '0.00 ms',
      '9.99 ms',
      '10.0 ms',
      '99.9 ms',
      '100 ms',
      '340 ms',
      '1.00 s',
      '1.25 s',
      '59.9 s',
      '1 min 0 s',
      '2 min 5 s',
    ])
  })
  it('has an answer for what is not a number', () => {
    assert.deepEqual([NaN, Infinity].map(formatDuration), ['–', '–'])
  })
})

it('formatBytes: uses the fitting unit', () => {
  assert.deepEqual([0, 1023, 1024, 12_595, 5 * 1024 ** 2, NaN].map(formatBytes), [
    '0 B',
    '1023 B',
    '1.0 KB',
    '12.3 KB',
    '5.0 MB',
    '–',
  ])
})

it('formatTime: writes an instant in UTC', () => {
  assert.equal(formatTime(Date.UTC(2026, 10, 21, 8, 19, 31, 800)), '2026-11-21 08:19:31.800')
  assert.equal(formatTime(NaN), '–')
})
