// Lines around a place, highlighted; and which files may be read for them.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import { processorMs } from '../support/processor-time.ts'
import { highlight, sourceExcerpt } from '../../src/errors/source-excerpt.ts'
import { mayReadMap, mayShowSource, SourceFiles, type SourceFile } from '../../src/errors/source-files.ts'

let root = ''
before(() => void (root = realpathSync(mkdtempSync(join(tmpdir(), 'source-')))))
after(() => rmSync(root, { recursive: true }))

function write(path: string, content: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  return path
}

const fileOf = (content: string): SourceFile => ({
  path: 'a.ts',
  lines: content.split('\n'),
  excerpts: new Map(),
  changedSince: null,
})
const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line(${index + 1})`).join('\n')
const textOf = (lines: readonly (readonly (readonly [string, string])[])[]): string[] =>
  lines.map((tokens) => tokens.map(([, text]) => text).join(''))

describe('sourceExcerpt', () => {
  it('shows seven lines on each side', () => {
    const excerpt = sourceExcerpt(fileOf(numbered(100)), 50)
    assert.equal(excerpt?.startLine, 43)
    assert.deepEqual(
      textOf(excerpt?.lines ?? []),
      Array.from({ length: 15 }, (_, index) => `line(${43 + index})`),
    )
  })

  it('stops at the ends of the file', () => {
    assert.deepEqual(
      [sourceExcerpt(fileOf(numbered(3)), 1)?.startLine, sourceExcerpt(fileOf(numbered(3)), 3)?.lines.length],
      [1, 3],
    )
  })

  it('has nothing for a line the file does not have', () => {
    for (const line of [0, -1, 4, Number.NaN]) assert.equal(sourceExcerpt(fileOf(numbered(3)), line), null)
  })

  it('knows that it begins inside a comment', () => {
    const excerpt = sourceExcerpt(fileOf(`/**\n${' * const a = 1\n'.repeat(20)} */\nconst b = 2`), 15)
    for (const line of excerpt?.lines ?? [])
      assert.deepEqual(new Set(line.map(([kind]) => kind).filter((kind) => kind === 'kwd')), new Set())
  })

  it('takes secrets out of strings and comments', () => {
    const mask = (text: string): string => text.replace('s3cret', '******')
    const lines = textOf(sourceExcerpt(fileOf("const s3cret = 's3cret' // s3cret"), 1, { maskText: mask })?.lines ?? [])
    assert.deepEqual(lines, ["const s3cret = '******' // ******"])
  })

  it('is made once for a place', () => {
    const file = fileOf(numbered(30))
    assert.equal(sourceExcerpt(file, 10), sourceExcerpt(file, 10))
  })

  it('has every line once, whichever excerpt shows it first', () => {
    const lines = ['const a = `one', 'two ${b}', '', 'three`', 'call(a) /* c', 'd', 'e */ return 1', '}', 'return null']
    const content = Array.from({ length: 6 }, () => lines.join('\n')).join('\n')
    const whole = sourceExcerpt(fileOf(content), 27, { radius: 60 })
    for (const [first, second] of [
      [20, 32],
      [32, 20],
      [25, 28],
      [28, 25],
    ] as const) {
      const file = fileOf(content)
      sourceExcerpt(file, first, { radius: 7 })
      const later = sourceExcerpt(file, second, { radius: 7 })
      const alone = sourceExcerpt(fileOf(content), second, { radius: 7 })
      assert.deepEqual(textOf(later?.lines ?? []), textOf(alone?.lines ?? []))
      assert.deepEqual(textOf(later?.lines ?? []), textOf(whole?.lines ?? []).slice(second - 8, second + 7))
    }
  })

  it('cuts very long lines', () => {
    const [line] = textOf(sourceExcerpt(fileOf('x'.repeat(1_000_000)), 1)?.lines ?? [])
    assert.equal(line, `${'x'.repeat(400)}… [999600 more characters]`)
    const [short] = textOf(sourceExcerpt(fileOf('x'.repeat(440)), 1)?.lines ?? [])
    assert.equal(short?.length, 440)
  })

  for (const length of [500, 5000]) {
    it(`highlights what follows a line that is cut in a template, after ${length} characters`, () => {
      const code = `const long = \`${'x'.repeat(length)}\`\nconst next = 1\n/* ${'y'.repeat(length)} */\nreturn`
      const { lines = [] } = sourceExcerpt(fileOf(code), 1) ?? {}
      assert.deepEqual(
        [lines[1]?.[0], lines[3]?.[0]],
        [
          ['kwd', 'const'],
          ['kwd', 'return'],
        ],
      )
    })
  }
})

describe('highlight', () => {
  const kindOf: Readonly<Record<string, string>> = {
    const: 'kwd',
    '=>': 'kwd',
    string: 'type',
    true: 'bool',
    null: 'num',
    '12.5': 'num',
    MAX_SIZE: 'num',
    Order: 'class',
    load: 'func',
    later: 'func',
    "'text'": 'str',
    '/[/"]x/': 'str',
    '// note': 'cmnt',
  }
  for (const [code, marked] of [
    ["const a: string = 'text' // note", ['const', 'string', "'text'", '// note']],
    ['a.const = { const: b, true: 12.5 }', ['12.5']],
    ['new Order(null, true).load?.(MAX_SIZE)', ['new', 'Order', 'null', 'true', 'load', 'MAX_SIZE']],
    ['let later = (a, b) => a / b / 12.5', ['let', 'later', '=>', '12.5']],
    ['return /[/"]x/.load(text)', ['return', '/[/"]x/', 'load']],
    ['`a ${ { b: `${load(c)} d` } } e`, null', ['`a ${', '`${', 'load', '} d`', '} e`', 'null']],
  ] as const)
    it(`tells kinds of words apart: ${code}`, () => {
      const shown = highlight([code])
        .flat()
        .filter(([kind]) => kind !== '')
      const wanted = marked.map((text) => [kindOf[text] ?? (/[`]/.test(text) ? 'str' : 'kwd'), text])
      assert.deepEqual(shown, wanted)
    })

  it('takes no time over hostile text', async () => {
    for (const part of ['a ', '/ ', '/[', 'a = (', '`${', '"', '\\', '/*', '{', 'a=b =>', 'a?.']) {
      const lines = Array.from({ length: 60 }, () => part.repeat(4000).slice(0, 3999))
      const ms = await processorMs(() => highlight(lines))
      assert.ok(ms < 1000, `${part}: ${ms} ms of the processor`)
    }
  })

  it('keeps every character of every line', () => {
    const piece = fc.constantFrom(
      'const ',
      '`',
      '${',
      '}',
      '/*',
      '*/',
      '//',
      '"',
      "'",
      '/',
      '\\',
      '<b>',
      '=>',
      'class A',
      '1',
      ' ',
      '\t',
      '#x',
      '@a',
      '\0',
    )
    const line = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
    const property = fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), (lines) => {
      assert.deepEqual(textOf(highlight(lines)), lines)
    })
    fc.assert(property, { numRuns: 200 })
  })
})

describe('SourceFiles', () => {
  it('reads source of the project', () => {
    assert.deepEqual(new SourceFiles(root).read(write('src/a.ts', 'one\r\ntwo\n'))?.lines, ['one', 'two', ''])
  })

  it('has nothing for a missing file, a directory, a large file', () => {
    write('src/large.ts', 'x'.repeat(100))
    mkdirSync(join(root, 'src/dir.ts'), { recursive: true })
    const files = new SourceFiles(root, { maxBytes: 50 })
    for (const path of ['src/missing.ts', 'src/dir.ts', 'src/large.ts']) assert.equal(files.read(path), null)
  })

  it('refuses a link that leads out of the project, or to a file that may not be shown', () => {
    write('.env', 'SECRET=1')
    mkdirSync(join(root, 'links'), { recursive: true })
    symlinkSync('/etc/hosts', join(root, 'links/hosts.ts'))
    symlinkSync(join(root, '.env'), join(root, 'links/env.ts'))
    for (const path of ['links/hosts.ts', 'links/env.ts']) assert.equal(new SourceFiles(root).read(path), null)
  })

  it('finds the project behind a link', () => {
    const link = `${root}-link`
    symlinkSync(root, link)
    try {
      const files = new SourceFiles(link)
      assert.equal(files.root, root)
      assert.deepEqual(files.read(write('src/linked.ts', 'one'))?.lines, ['one'])
    } finally {
      rmSync(link)
    }
  })

  it('shows a file that changed as it was first read, with a mark', () => {
    const path = write('src/changing.ts', 'one')
    const files = new SourceFiles(root, { recheckMs: 0, startedAt: Date.now() + 60_000 })
    const before = files.read(path)
    assert.deepEqual([before?.lines, before?.changedSince], [['one'], null])
    assert.equal(before === null || 'changedSince' in (sourceExcerpt(before, 1) ?? {}), false)
    write('src/changing.ts', 'two')
    utimesSync(join(root, path), 1, 1)
    const after = files.read(path)
    assert.deepEqual([after?.lines, after?.changedSince], [['one'], 'loaded'])
    assert.equal(after === null ? null : sourceExcerpt(after, 1)?.changedSince, 'loaded')
    assert.equal(files.read(path), after)
  })

  it('marks a file that is newer than the process', () => {
    const path = write('src/newer.ts', 'one')
    const startedAt = Date.now() - 60_000
    const files = new SourceFiles(root, { recheckMs: 0, startedAt })
    assert.equal(files.read(path)?.changedSince, 'started')
    utimesSync(join(root, path), 1, 1)
    // Its lines are still not those that were loaded.
    assert.equal(files.read(path)?.changedSince, 'started')
    assert.equal(new SourceFiles(root, { startedAt }).read(path)?.changedSince, null)
  })

  it('keeps at most as many files as it is told', () => {
    const files = new SourceFiles(root, { maxFiles: 2 })
    const first = files.read(write('src/f1.ts', '1'))
    for (const name of ['f2', 'f3']) files.read(write(`src/${name}.ts`, name))
    assert.notEqual(files.read('src/f1.ts'), first)
  })
})

describe('mayShowSource', () => {
  it('allows code', () => {
    for (const path of ['a.ts', 'src/a.mjs', 'app/Page.TSX', 'views/list.vue']) assert.ok(mayShowSource(path), path)
  })

  it('refuses dot-files, keys, dependencies and whatever is not code', () => {
    const refused = [
      '.env',
      '.env.ts',
      'src/.secret/a.ts',
      'a.pem',
      'server.key',
      'node_modules/x/a.js',
      'Node_Modules/x/a.js',
      'config.json',
    ]
    for (const path of [...refused, '../a.ts', '/etc/a.ts', '', 'a', 'a.ts\0.png', 'src//a.ts', 'id_rsa'])
      assert.ok(!mayShowSource(path), path)
  })
})

it('mayReadMap: allows maps of the project only', () => {
  assert.ok(mayReadMap('dist/a.js.map'))
  for (const path of ['dist/a.js', '.hidden/a.map', '../a.map', 'node_modules/a/a.map'])
    assert.ok(!mayReadMap(path), path)
})
