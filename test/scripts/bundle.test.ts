// The package as it is published: started, asked and looked into out of files that were made in a moment.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { buildShop, builtCli, builtMain } from '../../scripts/built-shop.ts'
import { entries } from '../../scripts/bundle.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { removeDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const directory = mkdtempSync(join(tmpdir(), 'fanlight-built-'))

before(() => buildShop(directory))
after(() => removeDirectory(directory))

const store = 'sqlite:shop.db'
const startShop = (env: Readonly<Record<string, string>>): Promise<RunningProcess> =>
  runFile(builtMain, { APP_STORE: store, ...env }, directory)
const text = async (url: string): Promise<string> => (await fetch(url)).text()
const fanlight = async (args: readonly string[]): Promise<string> =>
  (
    await promisify(execFile)(process.execPath, [builtCli, ...args], {
      cwd: directory,
      env: { APP_ENV: 'dev', APP_STORE: store, ...compiledCode },
    })
  ).stdout

/** Prints which files of ours it has loaded at its start, and after its first request. */
const otherApplication = `
import { createServer, get } from 'node:http'
const print = () => console.log(loaded.map((url) => url.match(/fanlight.dist.(?:chunks.)?(.+).js$/)?.[1]).filter(Boolean).join(' '))
print()
const server = createServer((request, response) => response.end('other')).listen(0, '127.0.0.1', () =>
  get({ port: server.address().port }, (response) => response.resume().on('end', () => (print(), server.close()))),
)`

/** Keeps what is loaded from then on. */
const quietApplication = `
import { basename } from 'node:path'
import { createApp, loadRuntimeContext, maintenance, RouteCollection, text } from 'fanlight'
const { context } = loadRuntimeContext({ cwd: process.cwd(), env: process.env })
const routes = new RouteCollection()
routes.get('home', '/', () => text('home'))
const app = await createApp({ context, routes, plugins: [maintenance()] })
const { port } = await app.listen()
await (await fetch(\`http://127.0.0.1:\${port}/\`)).text()
console.log('loaded:', loaded.filter((url) => url.includes('/chunks/')).map((url) => basename(url, '.js')).join(' '))
await app.close()`

const watchLoads = `
import { registerHooks } from 'node:module'
globalThis.loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })`

describe('bundlePackage', () => {
  it('serves outside debug, misses too', async () => {
    await using shop = await startShop({ APP_ENV: 'prod' })
    assert.match(await text(shop.url), /Fanlight Supply/)
    assert.match(await text(`${shop.url}/nowhere`), /<title>Error 404 Not Found<\/title>/)
  })

  it('loads nothing that records outside debug', async () => {
    writeFileSync(join(directory, 'watch.mjs'), watchLoads)
    writeFileSync(join(directory, 'quiet.mjs'), quietApplication)
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', './watch.mjs', 'quiet.mjs'], {
      cwd: directory,
      env: { APP_ENV: 'prod', APP_STORE: 'sqlite:quiet.db', PORT: '0' },
    })
    const loaded = /^loaded: (.*)$/m.exec(stdout)?.[1]?.split(' ') ?? []
    assert.ok(loaded.includes('sqlite-engine'), stdout)
    assert.ok(!loaded.includes('profiler'), stdout)
  })

  it('records in debug, and draws error pages and the profiler', async () => {
    await using shop = await startShop({ APP_ENV: 'dev' })
    assert.match(await text(`${shop.url}/demo/error`), /fanlight\/dist\/chunks\/[\w-]+\.js/)
    const answer = await fetch(`${shop.url}/api/products`)
    const token = answer.headers.get('x-debug-token') ?? ''
    await until(async () => (await fetch(`${shop.url}/_profiler/${token}?panel=request`)).status === 200)
    const list = await text(`${shop.url}/_profiler/`)
    assert.match(list, new RegExp(token))
    assert.match(await fanlight(['profiles', 'show', token]), /GET .*\/api\/products/)
  })

  it('has the command line record a program', async () => {
    writeFileSync(join(directory, 'script.mjs'), 'console.log(6 * 7)')
    assert.match(await fanlight(['--version']), /^\d+\.\d+\.\d+\s*$/)
    assert.match(await fanlight(['run', '--', process.execPath, 'script.mjs']), /42/)
    assert.match(await fanlight(['profiles', 'list', '--type', 'all']), /script\.mjs/)
  })

  it('gives another application few files at its start, and none of an application or of pages with its first request', async () => {
    writeFileSync(join(directory, 'watch.mjs'), watchLoads)
    writeFileSync(join(directory, 'other.mjs'), otherApplication)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', './watch.mjs', '--import', 'fanlight/register', 'other.mjs'],
      {
        cwd: directory,
        env: { FANLIGHT: 'on', FANLIGHT_STORE: 'memory:' },
      },
    )
    const [atStart = [], withRequest = []] = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    const early = ['attaching', 'basics', 'register', 'registration', 'switch']
    assert.deepEqual(atStart.toSorted(), early)
    assert.ok(withRequest.includes('profiler'))
    assert.deepEqual(
      withRequest.filter((name) => /^(?:application|pages|error-page|executable)$/.test(name)),
      [],
    )
  })

  it('exports from each entry what its source does', async () => {
    for (const entry of entries().filter((name) => !name.startsWith('cli/'))) {
      const built: object = await import(pathToFileURL(join(directory, `node_modules/fanlight/dist/${entry}.js`)).href)
      const source: object = await import(pathToFileURL(`src/${entry}.ts`).href)
      assert.deepEqual(Object.keys(built), Object.keys(source), entry)
    }
  })
})
