// What the load hooks do to modules: ESM and CommonJS, from files as packages have them, with other hooks before and behind.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks, type LoadHookSync } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { LoadHook } from '../../src/integrations/integration.ts'
import { installLoadHooks, type SeenPackages } from '../../src/integrations/load-hooks.ts'
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
  { ...hook('throwing', 'index.js', 'module.exports'), take: () => assert.fail('the integration is broken') },
  hook('node:dgram', '', ''),
  hook('late', 'index.js', 'module.exports'),
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
    'throwing/package.json': '{"version":"1.0.0"}',
    'throwing/index.js': 'exports.answer = 42',
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
    assert.equal(seen.has('koa'), true)
    assert.equal(seen.has('express'), false)
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
    for (const name of ['changed', 'moved', 'newer', 'throwing']) {
      assert.equal((require(name) as { readonly answer: number }).answer, 42)
    }
    const notes = observer.notes.join('\n')
    assert.match(notes, /^changed: index\.js has no NoLonger in this version; what is shown of it may be incomplete$/m)
    assert.match(notes, /^moved 1\.5\.0 has no file lib\/gone\.js; what is shown of it may be incomplete$/m)
    assert.match(notes, /^throwing: index\.js: AssertionError/m)
    assert.doesNotMatch(notes, /newer|express/)
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

  it('read no file of the application', async () => {
    const path = join(folder, 'application.mjs')
    writeFileSync(path, 'export const text = String(() => 1)')
    const before = taken.size
    await import(pathToFileURL(path).href)
    assert.equal(taken.size, before)
  })
})
