// What the search for origins must not do: read what is not the application's, show secrets, take long, or cost the page.

import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import type { ErrorChain, Frame } from '../../../src/errors/flattened-error.ts'
import { createExplainer } from '../../../src/origins/explain-error.ts'
import { SourceFiles } from '../../../src/errors/source-files.ts'
import type { Explanation } from '../../../src/errors/value-origin.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import { makeChain, makeError, makeFrame } from '../../support/error-view.ts'
import { exchangeOf } from '../../support/exchange.ts'
import { processorMs } from '../../support/processor-time.ts'
import { makeTemporaryDirectory, type WithAfter } from '../../support/temporary-directory.ts'

interface Question {
  readonly files: Readonly<Record<string, string>>
  readonly message?: string
  /** Where it failed: `[file, line, column]`, innermost first. */
  readonly at: readonly (readonly [string, number, number])[]
  readonly env?: Readonly<Record<string, string>>
  /** Root of the project in the folder; default the folder itself. */
  readonly root?: string
  readonly prepare?: (folder: string) => void
  readonly maxMs?: number
}

function explain(test: WithAfter, question: Question): Explanation {
  const folder = makeTemporaryDirectory(test)
  for (const [path, text] of Object.entries(question.files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  question.prepare?.(folder)
  const { env = {}, maxMs = 2000, root = '.' } = question
  const files = new SourceFiles(join(folder, root))
  return createExplainer({ hints: [], redactor: new Redactor(), files, env, maxMs })(
    chainOf(question),
    exchangeOf({ path: '/' }),
  )
}

function chainOf({ at, message = "Cannot read properties of undefined (reading 'x')" }: Question): ErrorChain {
  const frames = at.map(([file, line, column]): Frame =>
    makeFrame({ file, line, column, origin: 'own', excerpt: null }),
  )
  return makeChain(makeError({ className: 'TypeError', message, frames }))
}

const places = ({ candidates }: Explanation): string[] => candidates.map(({ file, line }) => `${file}:${line}`)

describe('the search for origins', () => {
  // Of a file that does not name what is searched for only the imports are read.
  for (const [loading, isFollowed] of [
    ["import './between.ts'", true],
    ["import between from './between.ts'", true],
    ["import type from './between.ts'", true],
    ["import {\n  between,\n} from './between.ts'", true],
    ["export * from './between.ts'", true],
    ["const between = require('./between.ts')", true],
    ["const between = await import('./between.ts')", true],
    ["import type { Between } from './between.ts'", false],
    ["export type {\n  Between,\n} from './between.ts'", false],
  ] as const) {
    it(`${isFollowed ? 'finds a caller behind' : 'does not follow'} ${loading.replaceAll('\n', '')}`, (test) => {
      const found = explain(test, {
        files: {
          'a.ts': `export function readX(o) {\n  return o.y.x\n}\n${loading}\n`,
          'between.ts': "import './caller.ts'\n",
          'caller.ts': "import { readX } from './a.ts'\nreadX({ y: undefined })\n",
        },
        at: [['a.ts', 2, 14]],
      })
      assert.equal(places(found).includes('caller.ts:2'), isFollowed)
    })
  }

  it('parses the files of the process before there is an error, if it may', { timeout: 60_000 }, async (test) => {
    const folder = makeTemporaryDirectory(test)
    for (const [name, text] of [
      ['main.js', "import './next.js'\n"],
      ['next.js', "import('./last.js')\n"],
      ['last.js', "import './main.js'\nimport 'node:fs'\n"],
    ] as const)
      writeFileSync(join(folder, name), text)
    const [, startedWith = ''] = process.argv
    test.after(() => (process.argv[1] = startedWith))
    process.argv[1] = join(folder, 'main.js')
    const all = Promise.withResolvers<void>()
    class WatchedFiles extends SourceFiles {
      override read(path: string): ReturnType<SourceFiles['read']> {
        if (path === 'last.js') all.resolve()
        return super.read(path)
      }
    }
    createExplainer({ redactor: new Redactor(), files: new WatchedFiles(folder), readsAhead: true })
    // Its timers hold no process.
    const held = setInterval(() => undefined, 1000)
    await all.promise.finally(() => clearInterval(held))
  })

  it('finds a port whose digits are apart', (test) => {
    const found = explain(test, {
      files: { 'a.js': "import { port } from './b.js'\nawait ask(port)\n", 'b.js': 'export const port = 5_432\n' },
      message: 'connect ECONNREFUSED 127.0.0.1:5432',
      at: [['a.js', 2, 7]],
    })
    assert.equal(places(found)[0], 'b.js:1')
  })

  it('says of an environment variable whether it is set, and never its value', (test) => {
    const found = explain(test, {
      files: {
        'a.ts': "import { c } from './c.ts'\nc.url.x\n",
        'c.ts': 'export const c = { url: process.env.SHOP_URLS, key: process.env.SHOP_KEY }\n',
      },
      at: [['a.ts', 2, 7]],
      env: { SHOP_URL: 'http://user:hunter2@secret.example', SHOP_KEY: 'hunter2' },
    })
    assert.deepEqual(places(found)[0], 'c.ts:1')
    assert.ok(found.origins.some(({ note }) => note === 'SHOP_URLS is not set; SHOP_URL is'))
    assert.ok(!/hunter2|secret\.example/.test(JSON.stringify(found)))
  })

  it('masks secrets in the definitions that it shows', (test) => {
    const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
    const found = explain(test, {
      files: {
        'a.ts': `import { c } from './c.ts'\nc.user.x\n`,
        'c.ts': `export const c = {\n  token: '${token}', user: undefined }\n`,
      },
      at: [['a.ts', 2, 8]],
    })
    assert.ok(found.origins.length > 0)
    assert.ok(!JSON.stringify(found).includes(token))
  })

  it('reads nothing outside the project, by no path and no link', (test) => {
    const found = explain(test, {
      files: {
        'project/a.ts':
          "import { up } from '../outside.ts'\nimport { linked } from './linked.ts'\nup().x.x + linked().x.x\n",
        'outside.ts': "export const up = () => 'not yours'\nexport const linked = () => 'not yours'\n",
      },
      root: 'project',
      prepare: (folder) => symlinkSync(join(folder, 'outside.ts'), join(folder, 'project/linked.ts')),
      at: [['a.ts', 3, 8]],
    })
    assert.ok(!JSON.stringify(found).includes('not yours'))
    assert.ok(places(found).every((place) => place.startsWith('a.ts:')))
  })

  it('reads nothing in node_modules and no hidden file', (test) => {
    const found = explain(test, {
      files: {
        'a.ts':
          "import { f } from './node_modules/p/index.js'\nimport { g } from './.hidden/g.ts'\nf().x.x + g().x.x\n",
        'node_modules/p/index.js': "export const f = () => 'of a package'\n",
        '.hidden/g.ts': "export const g = () => 'hidden'\n",
      },
      at: [['a.ts', 3, 7]],
    })
    assert.ok(!/of a package|'hidden'/.test(JSON.stringify(found)))
  })

  for (const [name, source] of Object.entries({
    'a file of two megabytes': `const x = [\n${'1,'.repeat(1_000_000)}]\n`,
    'bytes that are not text': `\0\0\u0001\uffff${'\0'.repeat(5000)}`,
    'brackets in brackets': `const x = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
    'calls in calls': `const x = ${'f('.repeat(5_000)}1${')'.repeat(5_000)}\nx.x.x\n`,
    'a text without an end': 'const x = `${ `${ \n',
    'a syntax error': 'const = = 3\nx.x.x\n}}}}\n',
    nothing: '',
  })) {
    it(`answers for ${name}`, (test) => {
      const found = explain(test, {
        files: { 'a.ts': source },
        at: [
          ['a.ts', 2, 3],
          ['a.ts', 99_999, 99_999],
        ],
        maxMs: 20,
      })
      assert.ok(found.candidates.length <= 6)
    })
  }

  it('goes round no circle for ever', (test) => {
    const found = explain(test, {
      files: {
        'a.ts':
          "import { b } from './b.ts'\nexport function a(n) { return b(n) }\nconst v = a(1)\nv.x.x\nlet p = q, q = p\np.x.x\n",
        'b.ts':
          "import { a } from './a.ts'\nexport * from './a.ts'\nexport * from './b.ts'\nexport function b(n) { return a(b(n)) }\n",
      },
      at: [
        ['a.ts', 4, 5],
        ['a.ts', 6, 5],
      ],
    })
    assert.ok(places(found).includes('a.ts:4'))
  })

  it('shows at most 12 definitions, 150 lines and 6 candidates', (test) => {
    const body = Array.from({ length: 9 }, (_, line) => `  const v${line} = n + ${line}`).join('\n')
    const functions = Array.from(
      { length: 40 },
      (_, index) => `export function f${index}(n) {\n${body}\n  return n${index}\n}`,
    )
    const uses = Array.from({ length: 40 }, (_, index) => `f${index}(${index})`).join(' + ')
    const found = explain(test, {
      files: { 'a.ts': `${functions.join('\n')}\nthrow new Error(\`\${${uses}}\`)\n` },
      message: 'no',
      at: [['a.ts', 40 * 12 + 1, 7]],
    })
    assert.equal(found.origins.length, 12)
    assert.equal(found.candidates.length, 6)
    const lines = found.origins.flatMap(({ source }) => source?.parts.flatMap((part) => part.lines) ?? [])
    assert.ok(lines.length > 100 && lines.length <= 150, String(lines.length))
  })

  it('stops when its time is over', async (test) => {
    const count = 300
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `m${index}.ts`,
        `import { f${index + 1} } from './m${index + 1}.ts'\nexport const f${index} = (n) => f${index + 1}(n)\n${'// filler\nexport const pad = [1, 2, 3].map((n) => n * 2)\n'.repeat(200)}`,
      ]),
    )
    const ms = await processorMs(() =>
      explain(test, {
        files: { ...files, 'a.ts': "import { f0 } from './m0.ts'\nf0(1).x.x\n" },
        at: [['a.ts', 2, 9]],
        maxMs: 5,
      }),
    )
    assert.ok(ms < 1000, `${ms} ms of the processor`)
  })

  it('finds the same again without a search, and follows a file that was read anew', (test) => {
    const folder = makeTemporaryDirectory(test)
    writeFileSync(join(folder, 'a.ts'), 'const v = undefined\nv.x.x\n')
    const files = new SourceFiles(folder)
    const ask = createExplainer({ hints: [], redactor: new Redactor(), files, env: {} })
    const chain = chainOf({ files: {}, at: [['a.ts', 2, 5]] })
    const first = ask(chain, exchangeOf({ path: '/' }))
    assert.equal(ask(chain, exchangeOf({ path: '/' })).origins, first.origins)
  })
})
