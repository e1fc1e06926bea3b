// What the load hooks do to modules: ESM and CommonJS, from files as packages have them, with other hooks before and behind.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire, Module, registerHooks, type LoadHookSync } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { LoadHook } from '../../src/integrations/integration.ts'
import { installLoadHooks, type SeenPackages } from '../../src/integrations/registration.ts'
import { notingObserver } from '../support/integration-observer.ts'
import { removeDirectory } from '../support/temporary-directory.ts'

const observer = notingObserver()
const taken = new Map<string, unknown[]>()

function hook(name: string, file: string, value: string, majors?: readonly number[]): LoadHook {
  const take = (given: unknown): void =>
    void taken.set(`${name}/${file}`, [...(taken.get(`${name}/${file}`) ?? []), given])
  return { package: name, file, value, take, ...(majors === undefined ? {} : { majors }) }
}

const hooks: readonly LoadHook[] = [
  hook('koa', 'lib/application.js', 'module.exports'),
  hook('hono', 'dist/hono.js', 'Hono'),
  hook('hono', 'dist/cjs/hono.js', 'Hono'),
  hook('cjs', 'index.js', 'module.exports'),
  hook('cjs', 'index.js', 'hidden'),
  hook('@scope/esm', 'lib/deep/index.mjs', '{ secret, answer }'),
  hook('changed', 'index.js', 'NoLonger'),
  hook('moved', 'lib/gone.js', 'module.exports', [1]),
  hook('newer', 'lib/gone.js', 'module.exports', [1]),
  hook('older', 'index.js', 'NotYet', [4]),
  { ...hook('throwing', 'index.js', 'module.exports'), take: () => assert.fail('the integration is broken') },
  hook('node:dgram', '', ''),
  hook('late', 'index.js', 'module.exports'),
  hook('compiled', 'index.js', 'inner'),
]

/** Hooks of others, as loaders of TypeScript are: they change what is loaded, before ours and behind. */
const addsConstant: LoadHookSync = (url, context, nextLoad) => {
  const loaded = nextLoad(url, context)
  return url.includes('/late/') ? { ...loaded, source: `const early = 1\n${String(loaded.source)}` } : loaded
}
const countsLines: LoadHookSync = (url, context, nextLoad) => {
  const loaded = nextLoad(url, context)
  if (url.includes('/late/')) linesOfLate.push(String(loaded.source).split('\n').length)
  return loaded
}
const linesOfLate: number[] = []

let folder: string
let seen: SeenPackages
let require: NodeJS.Require

before(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'fanlight-hooks-')))
  require = createRequire(join(folder, 'app.js'))
  const files: Readonly<Record<string, string>> = {
    'cjs/package.json': '{"version":"1.0.0"}',
    'cjs/index.js':
      "'use strict'\nconst hidden = 'inner'\nexports.answer = 42\nexports.fail = () => { throw new Error('line 4') } // end",
    '@scope/esm/package.json': '{"version":"1.0.0","type":"module"}',
    '@scope/esm/lib/deep/index.mjs':
      "const secret = 'inner'\nexport const answer = 42\nexport const fail = () => { throw new Error('line 3') }\n//# sourceMappingURL=index.mjs.map",
    'changed/package.json': '{"version":"2.0.0"}',
    'changed/index.js': 'exports.answer = 42',
    'moved/package.json': '{"version":"1.5.0"}',
    'moved/index.js': 'exports.answer = 42',
    'newer/package.json': '{"version":"2.0.0"}',
    'newer/index.js': 'exports.answer = 42',
    'older/package.json': '{"version":"3.25.0"}',
    'older/index.js': 'exports.answer = 42',
    'throwing/package.json': '{"version":"1.0.0"}',
    'throwing/index.js': 'exports.answer = 42',
    'compiled/package.json': '{"version":"1.0.0"}',
    'compiled/index.js': 'const inner = 1\nexports.answer = 42',
    'late/package.json': '{"version":"1.0.0"}',
    'late/index.js': 'exports.early = early',
  }
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, 'node_modules', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  registerHooks({ load: addsConstant })
  seen = installLoadHooks(hooks, ['express'], observer)
  registerHooks({ load: countsLines })
})
after(async () => removeDirectory(folder))

/** What loaders use of a module of CommonJS. */
interface Compiling {
  filename: string
  _compile(this: object, source: string, path: string): unknown
}

function emptyModule(path: string): Compiling {
  return Object.assign(new Module(path) as unknown as Compiling, { filename: path })
}

function compile(path: string, source: string): void {
  emptyModule(path)._compile(source, path)
}

const url = (file: string): string => pathToFileURL(join(folder, 'node_modules', file)).href

describe('load hooks', () => {
  it('hand over values of real packages: CommonJS by require and by import, and both builds of Hono', async () => {
    const own = createRequire(import.meta.url)
    const { default: Koa } = await import('koa')
    assert.deepEqual(taken.get('koa/lib/application.js'), [Koa])
    await import('hono')
    own('hono')
    const names = ['hono/dist/hono.js', 'hono/dist/cjs/hono.js'].map((file) => taken.get(file)?.map(String))
    assert.deepEqual(
      names.map((list) => list?.map((text) => /^class (?:extends HonoBase|Hono|extends)/.test(text))),
      [[true], [true]],
    )
    assert.equal(seen.foldersOf('koa').length, 1)
    assert.equal(seen.foldersOf('express').length, 0)
  })

  it('hand over what only the module knows, once for each hook of a file', () => {
    const exports: unknown = require('cjs')
    assert.deepEqual(taken.get('cjs/index.js'), [exports, 'inner'])
  })

  it('know packages with a scope and files in folders, also with a query', async () => {
    await import(`${url('@scope/esm/lib/deep/index.mjs')}?again=1`)
    assert.deepEqual(taken.get('@scope/esm/lib/deep/index.mjs'), [{ secret: 'inner', answer: 42 }])
  })

  it('leave lines, columns and source maps as they are', async () => {
    const { fail } = require('cjs') as { readonly fail: () => void }
    assert.throws(fail, (error: Error) => /cjs\/index\.js:4:30/.test(error.stack ?? ''))
    const module = (await import(url('@scope/esm/lib/deep/index.mjs'))) as { readonly fail: () => void }
    assert.throws(module.fail, (error: Error) => /index\.mjs:3:35/.test(error.stack ?? ''))
  })

  it('note a value that is not there, a file that is not there, and an integration that throws; the modules work', () => {
    for (const name of ['changed', 'moved', 'newer', 'older', 'throwing']) {
      assert.equal((require(name) as { readonly answer: number }).answer, 42)
    }
    const notes = observer.notes.join('\n')
    assert.match(notes, /^changed: index\.js has no NoLonger in this version; what is shown of it may be incomplete$/m)
    assert.match(notes, /^moved 1\.5\.0 has no file lib\/gone\.js; what is shown of it may be incomplete$/m)
    assert.match(notes, /^throwing: index\.js: AssertionError/m)
    assert.doesNotMatch(notes, /newer|older|express/)
  })

  it('hand over a module of Node once', async () => {
    const dgram: unknown = require('node:dgram')
    await import('node:dgram')
    assert.deepEqual(taken.get('node:dgram/'), [dgram])
  })

  it('work between the hooks of others', () => {
    const exports: unknown = require('late')
    assert.deepEqual(exports, { early: 1 })
    assert.deepEqual(taken.get('late/index.js'), [exports])
    assert.deepEqual(linesOfLate, [4])
  })

  it('reach what a loader reads and compiles itself, once', () => {
    const { extensions } = require
    const original = extensions['.js']
    extensions['.js'] = (module, path) => (module as unknown as Compiling)._compile(readFileSync(path, 'utf8'), path)
    try {
      assert.deepEqual(require('compiled'), { answer: 42 })
    } finally {
      extensions['.js'] = original
    }
    assert.deepEqual(taken.get('compiled/index.js'), [1])
  })

  it('go together with others who compile: for all modules, or for one', () => {
    const { prototype } = Module as unknown as { readonly prototype: Compiling }
    const original = prototype._compile
    const path = join(folder, 'node_modules/compiled/index.js')
    const compiled: string[] = []
    prototype._compile = function (source, file) {
      compiled.push(source)
      return original.call(this, source.replace('= 1', '= 2'), file)
    }
    try {
      compile(path, 'const inner = 1')
      assert.equal(compiled.filter((source) => source.startsWith('const inner = 1\n')).length, 1)
    } finally {
      prototype._compile = original
    }
    const one = emptyModule(path)
    const { _compile: before } = one
    one._compile = function (source, file) {
      return before.call(this, source.replace('= 1', '= 3'), file)
    }
    one._compile('const inner = 1', path)
    assert.deepEqual(taken.get('compiled/index.js'), [1, 2, 3])
  })

  it('are in no stack of an application', () => {
    const path = join(folder, 'application.cjs')
    let stack = ''
    try {
      compile(path, "throw new Error('wrong')")
    } catch (error) {
      stack = String((error as Error).stack)
    }
    const [, first = '', second = '', third = ''] = stack.split('\n')
    assert.match(first, /application\.cjs:1:7/)
    assert.match(second, /Module\._compile \(node:internal/)
    assert.match(third, /load-hooks\.test\.ts/)
  })

  it('read no file of the application', async () => {
    const path = join(folder, 'application.mjs')
    writeFileSync(path, 'export const text = String(() => 1)')
    const before = taken.size
    await import(pathToFileURL(path).href)
    assert.equal(taken.size, before)
  })
})
