import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { factLines, tableLines, Terminal, type Column } from '../../src/cli/terminal.ts'

interface Row {
  readonly name: string
  readonly count: number
}

const columns: readonly Column<Row>[] = [
  { title: 'name', cell: ({ name }) => name, isFlexible: true },
  { title: 'count', cell: ({ count }) => String(count), align: 'right', tone: () => 'bad' },
]

function terminalOf(parts: { columns?: number; env?: Readonly<Record<string, string>> } = {}): Terminal {
  const isTTY = parts.columns !== undefined
  const stdout = { write: () => true, isTTY, ...(parts.columns === undefined ? {} : { columns: parts.columns }) }
  return new Terminal({ stdout, stderr: { write: () => true }, env: parts.env ?? {} })
}

describe('tableLines', () => {
  it('aligns columns by what a terminal shows, not by letters', () => {
    const rows = [
      { name: 'ab', count: 1 },
      { name: '円', count: 20 },
      { name: 'e\u0301', count: 300 },
    ]
    assert.deepEqual(tableLines(terminalOf(), columns, rows), [
      'name  count',
      'ab        1',
      '円       20',
      'e\u0301       300',
    ])
  })

  it('cuts flexible columns to the terminal, and nothing where there is none', () => {
    const rows = [{ name: 'a'.repeat(60), count: 1 }]
    assert.equal(
      tableLines(terminalOf({ columns: 20, env: { NO_COLOR: '1' } }), columns, rows)[1],
      `${'a'.repeat(12)}…      1`,
    )
    assert.equal(tableLines(terminalOf(), columns, rows)[1], `${'a'.repeat(60)}      1`)
  })

  it('keeps something of a flexible column on the narrowest terminal', () => {
    const rows = [{ name: 'a'.repeat(60), count: 1 }]
    assert.match(tableLines(terminalOf({ columns: 1, env: { TERM: 'dumb' } }), columns, rows)[1] ?? '', /^a{7}…/)
  })

  it('spells out controls before it measures', () => {
    const [, line] = tableLines(terminalOf(), columns, [{ name: '\u001b[2J', count: 1 }])
    assert.equal(line, '\\x1b[2J      1')
  })

  it('has only a head without rows', () => {
    assert.deepEqual(tableLines(terminalOf(), columns, []), ['name  count'])
  })

  it('colours on a terminal, but not with NO_COLOR, not on a dumb one and not in a pipe', () => {
    const rows = [{ name: 'a', count: 1 }]
    const isColoured = (terminal: Terminal): boolean => tableLines(terminal, columns, rows).join('').includes('\u001b')
    assert.ok(isColoured(terminalOf({ columns: 80 })))
    assert.ok(!isColoured(terminalOf({ columns: 80, env: { NO_COLOR: '1' } })))
    assert.ok(!isColoured(terminalOf({ columns: 80, env: { TERM: 'dumb' } })))
    assert.ok(!isColoured(terminalOf()))
  })
})

it('factLines: puts values below each other and spells out controls', () => {
  const facts = [
    ['a', '1'],
    ['long', 'x\ny'],
  ] as const
  assert.deepEqual(factLines(terminalOf(), facts), ['a     1', 'long  x\\ny'])
})

it('Terminal: escapes controls in JSON that JSON itself leaves alone', () => {
  let written = ''
  const stdout = { write: (text: string) => (written += text) }
  const value = { text: '\u009b31m\u2028\u007f\u001b\u202ecod.exe\u2066\u200f\u061c' }
  new Terminal({ stdout, stderr: stdout, env: {} }).json(value)
  assert.doesNotMatch(written.replaceAll('\n', ''), /[\p{Cc}\u2028\u202e\u2066\u200f\u061c]/u)
  assert.deepEqual(JSON.parse(written), value)
})
