// `node --import fanlight/register app.js` with programs of all kinds: what is recorded without a line in them, and what it costs where it
// is off.

import assert from 'node:assert/strict'
import { cpSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { fromSources } from '../support/compiled-code.ts'
import {
  appFolder,
  asking,
  linesOf,
  printedBy,
  queriesOf,
  register,
  serving,
  type Ended,
} from '../support/registered-app.ts'

const root = join(import.meta.dirname, '../..')
const started = ['--import', register]

/** A query and a line of the log, by modules as the file loads them. */
const work = (load: (name: string) => string): string => `
const { DatabaseSync } = ${load('node:sqlite')}
const Sqlite = ${load('better-sqlite3')}
const database = new DatabaseSync(':memory:'), other = new (Sqlite.default ?? Sqlite)(':memory:')
${serving(`database.prepare('SELECT 1 AS here').all(); other.exec('SELECT 2 AS there'); console.log('seen', request.url)`)}`
const esm = work((name) => `await import('${name}')`)
const cjs = work((name) => `require('${name}')`)

/** Tells what is loaded and heard when the process ends. */
const telling = `
import { registerHooks } from 'node:module'
import { channel } from 'node:diagnostics_channel'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
process.on('exit', () => process._rawDebug(JSON.stringify({
  loaded: loaded.filter((url) => url.includes('/src/')).map((url) => url.split('/src/')[1]),
  builtins: loaded.filter((url) => url.startsWith('node:')),
  isHeard: channel('http.server.request.start').hasSubscribers || channel('console.log').hasSubscribers,
  symbols: Object.getOwnPropertySymbols(globalThis).map(String).filter((name) => name.includes('fanlight')),
})))`

interface Told {
  readonly loaded: readonly string[]
  readonly builtins: readonly string[]
  readonly isHeard: boolean
  readonly symbols: readonly string[]
}

function toldBy({ stderr }: Ended): Told {
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Told
}

describe('fanlight/register', () => {
  for (const [kind, file, text] of [
    ['ESM', 'app.mjs', esm],
    ['CommonJS', 'app.cjs', cjs],
    ['TypeScript', 'app.ts', `const one: number = 1\nvoid one\n${esm}`],
  ] as const) {
    it(`records requests, queries and lines of an application in ${kind}`, async () => {
      await using app = appFolder({ [file]: text })
      const ended = await app.run([...started, file])
      // Older versions of Node say of the application's own SQLite that it is experimental.
      assert.match(ended.stderr, /^(?:\(.*\n){0,2}Fanlight: http:\/\/127\.0\.0\.1:\d+\/_profiler\/\n$/)
      assert.equal(ended.exitCode, 0)
      const printed = printedBy(ended)
      assert.deepEqual(queriesOf(printed), ['SELECT ? AS here', 'SELECT ? AS there'])
      assert.deepEqual(linesOf(printed), ['seen /one'])
      assert.equal(ended.stdout.match(/^seen \/one$/gm)?.length, 1)
    })
  }

  it('works by require, by NODE_OPTIONS, and once where it is there twice', async () => {
    await using app = appFolder({ 'app.cjs': `require(${JSON.stringify(join(root, 'src/register.ts'))})\n${cjs}` })
    const ended = await app.run([...started, 'app.cjs'], { NODE_OPTIONS: `--import ${register} --import ${register}` })
    const printed = printedBy(ended)
    assert.deepEqual(linesOf(printed), ['seen /one'])
    assert.deepEqual(queriesOf(printed), ['SELECT ? AS here', 'SELECT ? AS there'])
    assert.deepEqual(queriesOf(printedBy(await app.run(['app.cjs']))), ['SELECT ? AS here', 'SELECT ? AS there'])
  })

  it('goes together with fanlight(server) in code', async () => {
    const http = pathToFileURL(join(root, 'src/http.ts')).href
    const text = `
import { createServer } from 'node:http'
import { fanlight } from '${http}'
const server = fanlight(createServer((request, response) => {
  console.log('seen')
  response.end('{}')
}))
${asking('server')}`
    await using app = appFolder({ 'app.mjs': text })
    const printed = printedBy(await app.run([...started, 'app.mjs']))
    assert.deepEqual(linesOf(printed), ['seen'])
    assert.ok(!printed.notes.some((note) => note.includes('twice')))
  })

  it('names both places where the package is there twice; the first one counts', async () => {
    await using app = appFolder({ 'app.mjs': serving("console.log('seen')") })
    const copy = join(app.path, 'other copy')
    cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
    cpSync(join(root, 'package.json'), join(copy, 'package.json'))
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const second = pathToFileURL(join(copy, 'src/register.ts')).href
    const printed = printedBy(await app.run([...started, '--import', second, 'app.mjs'], fromSources))
    assert.deepEqual(linesOf(printed), ['seen'])
    const note = printed.notes.find((text) => text.includes('twice')) ?? ''
    assert.ok(note.includes(join(root, 'src/integrations')) && note.includes(join(copy, 'src/integrations')), note)
  })

  it('works in a worker thread and in a cluster', async () => {
    await using app = appFolder({
      'app.cjs': cjs,
      'worker.mjs': "import { Worker } from 'node:worker_threads'\nnew Worker('./app.cjs')",
      'cluster.mjs': `
import cluster from 'node:cluster'
if (cluster.isPrimary) cluster.fork()
else await import('./app.cjs')`,
    })
    for (const args of [['worker.mjs'], ['cluster.mjs']]) {
      const ended = await app.run([...started, ...args])
      assert.deepEqual(linesOf(printedBy(ended)), ['seen /one'], args.join(' '))
    }
  })

  it('works before and behind the hooks of others, which change what is loaded', async () => {
    const other = `data:text/javascript,${encodeURIComponent(`
      import { registerHooks, register } from 'node:module'
      registerHooks({ load(url, context, next) {
        const loaded = next(url, context)
        return url.endsWith('app.mjs') ? { ...loaded, source: String(loaded.source).replaceAll('NOTHING', 'seen') } : loaded
      } })`)}`
    const inThread = `data:text/javascript,${encodeURIComponent(`
      import { register } from 'node:module'
      register('data:text/javascript,' + encodeURIComponent('export const load = (url, context, next) => next(url, context)'))`)}`
    await using app = appFolder({ 'app.mjs': esm.replace("'seen'", "'NOTHING'") })
    for (const hooks of [
      [other, register],
      [register, other],
      [inThread, register],
      [register, inThread],
    ]) {
      const ended = await app.run([...hooks.flatMap((hook) => ['--import', hook]), 'app.mjs'], fromSources)
      const printed = printedBy(ended)
      assert.equal(linesOf(printed).length, 1)
      assert.deepEqual(queriesOf(printed), ['SELECT ? AS here', 'SELECT ? AS there'])
    }
  })

  it('says that no framework was found, and no more than that', async () => {
    await using app = appFolder({ 'app.mjs': serving('') })
    const { notes } = printedBy(await app.run([...started, 'app.mjs']))
    assert.deepEqual(notes, ['No framework was loaded from node_modules: requests have no routes and no steps.'])
  })

  it('says what was loaded before it', async () => {
    const text = `const Koa = require('koa')\nrequire(${JSON.stringify(join(root, 'src/register.ts'))})\n${serving('')}`
    await using app = appFolder({ 'app.cjs': text })
    assert.deepEqual(printedBy(await app.run(['app.cjs'])).notes, [
      'koa was loaded before fanlight/register: require that first, or what is shown of it may be incomplete',
    ])
  })
})

describe('fanlight/register where it has nothing to do', () => {
  const script = "console.log('done')"
  /** What an import of costs more than all of ours. */
  const costly = new Set(['node:fs', 'node:http', 'node:https', 'node:net', 'node:tty', 'node:worker_threads'])

  it('loads one module, hears nothing, writes nothing and says nothing where it is off', async () => {
    await using app = appFolder({ 'app.mjs': `${script}\n${serving('')}`, 'telling.mjs': telling })
    for (const env of [
      { FANLIGHT: undefined, NODE_ENV: 'production' },
      { FANLIGHT: undefined },
      { FANLIGHT: undefined, APP_ENV: 'dev', NODE_ENV: 'staging' },
      { FANLIGHT: 'off', NODE_ENV: 'development' },
      { FANLIGHT: '', NODE_ENV: '' },
    ]) {
      const ended = await app.run(['--import', './telling.mjs', ...started, 'app.mjs'], { ...fromSources, ...env })
      assert.equal(ended.exitCode, 0)
      assert.equal(printedBy(ended).token, null)
      const { builtins, ...told } = toldBy(ended)
      assert.deepEqual(new Set(builtins).intersection(costly), new Set())
      assert.deepEqual(told, {
        loaded: ['register.ts', 'integrations/switch.ts'],
        isHeard: false,
        symbols: [],
      })
      assert.equal(ended.stderr.trim().split('\n').length, 1)
    }
    assert.deepEqual(readdirSync(app.path).sort(), ['app.mjs', 'node_modules', 'telling.mjs'])
  })

  it('says that the switch has a value that cannot be used, also where nobody looks', async () => {
    await using app = appFolder({ 'app.mjs': script })
    const ended = await app.run([...started, 'app.mjs'], { FANLIGHT: 'yes', NODE_ENV: 'production' })
    const line = 'fanlight: off, FANLIGHT="yes" cannot be used: allowed are on, off\n'
    assert.deepEqual([ended.exitCode, ended.stdout, ended.stderr], [0, 'done\n', line])
  })

  it('opens nothing in a program without a server', async () => {
    await using app = appFolder({ 'app.mjs': script, 'telling.mjs': telling })
    const ended = await app.run(['--import', './telling.mjs', ...started, 'app.mjs'], {
      ...fromSources,
      FANLIGHT_STORE: undefined,
    })
    assert.deepEqual([ended.exitCode, ended.stdout], [0, 'done\n'])
    const { loaded, builtins } = toldBy(ended)
    assert.deepEqual(new Set(builtins).intersection(costly), new Set())
    assert.ok(loaded.includes('integrations/registration.ts'))
    const heavy = loaded.filter((file) =>
      /^(?:app|stores|errors|profiler\/(?!sampling))|kernel\.ts|serve-requests/.test(file),
    )
    assert.deepEqual(heavy, [])
    assert.deepEqual(readdirSync(app.path).sort(), ['app.mjs', 'node_modules', 'telling.mjs'])
  })

  it('does nothing to command line programs that inherit it', async () => {
    await using app = appFolder()
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const ended = await app.run([tsc, '--version'], { NODE_OPTIONS: `--import ${register}`, FANLIGHT_STORE: undefined })
    assert.match(ended.stdout, /^Version \d/)
    assert.deepEqual([ended.exitCode, ended.stderr, readdirSync(app.path)], [0, '', ['node_modules']])
  })

  it('says in one line that Bun and other versions of Node cannot be used, and the program runs', async () => {
    await using app = appFolder({ 'app.mjs': serving('') })
    for (const [versions, line] of [
      [{ bun: '1.3.0' }, 'fanlight: off, Bun 1.3.0 cannot be used: its servers publish nothing\n'],
      [
        { node: '24.10.0' },
        'fanlight: off, Node "24.10.0" cannot be used: allowed are ^22.18.0 || ^24.11.0 || >=26.0.0\n',
      ],
    ] as const) {
      const other = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,...${encodeURIComponent(JSON.stringify(versions))}}})`
      const ended = await app.run(['--import', other, ...started, 'app.mjs'])
      assert.deepEqual([ended.exitCode, ended.stderr, printedBy(ended).token], [0, line, null])
    }
  })
})
