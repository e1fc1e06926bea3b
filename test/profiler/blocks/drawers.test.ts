// The same blocks as a page, as Markdown, and as lines of a terminal.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Terminal } from '../../../src/cli/terminal.ts'
import { printBlocks } from '../../../src/cli/terminal-blocks.ts'
import { codeSpan } from '../../../src/base/markdown-text.ts'
import { detail, empty, facts, heading, note, recorded, text, wideTable } from '../../../src/observe/blocks/blocks.ts'
import type { Blocks } from '../../../src/observe/blocks/blocks.ts'
import { toSections } from '../../../src/observe/blocks/sections.ts'
import { drawBlocks } from '../../../src/pages/draw-blocks.ts'

const hostile = '<b>`\u001b[31m'

const blocks: Blocks = [
  text(['2 of', { strong: '3' }, '.']),
  note(recorded(hostile)),
  wideTable(
    'Routes, the slowest first',
    'route',
    ['Route', { number: 'p95', sort: 'p95', isSorted: true, hint: 'At most this long' }, 'Last (UTC)', 'Why'],
    [
      {
        tone: 'error',
        cells: [
          [{ page: '', with: { route: hostile }, text: hostile }, detail('message', recorded(hostile))],
          ['12 ms', { bar: [1, 0.5] }, { strip: [0, 2, 1] }],
          [{ profile: 'aaaaaaaaaaaa', text: '08:00' }, detail('first', '07:00', true)],
          { mark: 'slow', tone: 'warning' },
        ],
      },
      { depth: 1, cells: ['no route', '1 ms', { profile: 'bbbbbbbbbbbb', subject: hostile }, null] },
    ],
  ),
  {
    kind: 'columns',
    parts: [[heading('Store'), facts('Store', [['Place', recorded('memory:')]])], [empty('Nothing.')]],
  },
]

describe('blocks', () => {
  it('are drawn as HTML, with links, bars and labels for narrow windows', () => {
    const markup = String(
      drawBlocks(blocks, 'entry', {
        linkTo: (token) => `/p/${token}`,
        pageTo: ({ page, with: parts }) => `/p/${page}?${String(new URLSearchParams(parts))}`,
        sortTo: (sort) => `/p/groups?sort=${sort}`,
      }),
    )
    assert.ok(!markup.includes('<b>`'))
    for (const part of [
      /2 of <b>3<\/b>\./,
      /<table class="table stacked few" aria-label="[^"]+">/,
      /aria-sort="descending">\s*<a href="\/p\/groups\?sort=p95" title="At most this long">p95<\/a>/,
      /<tr class="tone-error">\s*<th scope="row" class="name"><a href="\/p\/\?route=%3Cb%3E[^"]*">&lt;b&gt;/,
      /<div class="detail" dir="auto">&lt;b&gt;/,
      /<td class="number" data-label="p95">12 ms <svg class="duration-bar"[\s\S]*<svg class="strip" viewBox="-.5 0 3 10"/,
      /<div class="detail" dir="auto">first 07:00<\/div>/,
      /<td data-label="why"><span class="muted">none<\/span>/,
      /<div class="block-columns">\s*<section><h2>Store<\/h2>/,
    ])
      assert.match(markup, part)
  })

  it('show text between backticks as code in a note of what was recorded', () => {
    const markup = String(drawBlocks([note(recorded('`<b>` is text'))], 'entry', { linkTo: (token) => token }))
    assert.match(markup, /<code><span class="tick">`<\/span>&lt;b&gt;<span class="tick">`<\/span><\/code> is text/)
  })

  it('have no links where there are no other pages', () => {
    const markup = String(drawBlocks(blocks, 'entry', { linkTo: (token) => `#${token}` }))
    assert.doesNotMatch(markup, /sort=|\?route=/)
  })

  it('are Markdown, with what was recorded in code spans', () => {
    const [first, store] = toSections(blocks, codeSpan)
    const span = codeSpan(hostile)
    assert.equal(first?.text, `2 of \`3\`. ${span}`)
    assert.deepEqual(first?.items, [
      `- ${span}: p95 12 ms, last (UTC) 08:00 \`aaaaaaaaaaaa\`, why \`slow\`, message ${span}, first 07:00`,
      `  - no route: p95 1 ms, last (UTC) ${span} \`bbbbbbbbbbbb\``,
    ])
    assert.deepEqual([store?.title, store?.text, store?.items], ['Store', 'Nothing.', ['- Place: `memory:`']])
  })

  it('are lines of a terminal, a column for each detail, which obeys nothing that was recorded', () => {
    const lines = (isTTY: boolean): string => {
      let said = ''
      const stream = { isTTY, columns: 60, write: (part: string) => (said += part) }
      printBlocks(new Terminal({ stdout: stream, stderr: stream, env: { NO_COLOR: '1' } }), blocks)
      return said
    }
    const shown = '<b>`\\x1b[31m'
    assert.deepEqual(
      lines(false)
        .split('\n')
        .map((line) => line.split(/ {2,}/).map((cell) => cell.trim())),
      [
        ['2 of 3.'],
        [shown],
        ['route', 'p95', 'last (UTC)', 'why', 'message', 'first'],
        [shown, '12 ms', '08:00 aaaaaaaaaaaa', 'slow', shown, '07:00'],
        ['', 'no route', '1 ms', `${shown} bbbbbbbbbbbb`],
        [''],
        ['Store'],
        ['place', 'memory:'],
        ['Nothing.'],
        [''],
      ],
    )
    assert.match(lines(true), /…/)
  })
})
