// `.env` files fill `process.env` when an application starts, and `run()` says where it listens.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { fillFromEnvFiles } from '../../src/http/config/folder-files.ts'
import { loadRuntimeContext } from '../../src/index.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const runFile = promisify(execFile)
const entry = (name: string): string => pathToFileURL(join(import.meta.dirname, `../../src/${name}.ts`)).href

const secret = 'zqcanary-only-in-a-file'

const files = {
  '.env': `APP_ENV=dev\nPORT=0\nAPP_STORE=memory:\nDATABASE_URL=postgres://u:${secret}@h/\nSET=file\nEMPTY=file\nLAYER=weak\n`,
  '.env.dev': 'LAYER=strong\nAPP_ENV=prod\n',
  '.env.prod': 'LAYER=wrong\n',
  'database.mjs': 'export const address = process.env.DATABASE_URL\n',
}

/** Runs a program in a folder with the files, `SET` and `EMPTY` being set already, and gives what it prints as its last line. */
async function printedBy(test: TestContext, program: string): Promise<unknown> {
  const cwd = makeTemporaryDirectory(test)
  for (const [name, content] of Object.entries({ ...files, 'main.mjs': program })) {
    writeFileSync(join(cwd, name), content)
  }
  const env = { PATH: process.env['PATH'], SET: 'environment', EMPTY: '', ...compiledCode }
  const { stdout } = await runFile(process.execPath, ['main.mjs'], { cwd, env })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

const filled = `const { DATABASE_URL, SET, EMPTY, LAYER, APP_ENV } = process.env
const filled = { DATABASE_URL, SET, EMPTY, LAYER, APP_ENV }`

const expected = {
  DATABASE_URL: `postgres://u:${secret}@h/`,
  SET: 'environment',
  EMPTY: '',
  LAYER: 'strong',
  APP_ENV: 'dev',
}

describe('.env files', () => {
  it('fill process.env for all names when run() starts, and their values are on no page', async (test) => {
    const program = `import { createApp, json, RouteCollection, run } from '${entry('index')}'
    import { address } from './database.mjs'
    const before = process.env.DATABASE_URL
    const routes = new RouteCollection()
    routes.get('broken', '/broken', () => { throw new Error('no database') })
    const { app, url, port, host } = await run((context) => createApp({ context, routes, log: { write: () => {} } }))
    const seen = []
    for (const accept of ['text/html', 'application/json', 'text/markdown']) {
      const response = await fetch(url + '/broken', { headers: { accept } })
      seen.push(await response.text())
      const token = response.headers.get('x-debug-token')
      for (const panel of ['exception', 'config']) {
        seen.push(await (await fetch(url + '/_profiler/' + token + '?panel=' + panel)).text())
      }
    }
    await app.close()
    ${filled}
    const leaks = seen.filter((text) => text.includes('${secret}')).length
    console.log(JSON.stringify({ address, before, filled, leaks, pages: seen.length, url, port, host, hasApp: app.close !== undefined }))
    process.exit()`
    const { url, port, ...printed } = (await printedBy(test, program)) as { url: string; port: number }
    assert.deepEqual(printed, { filled: expected, leaks: 0, pages: 9, host: '127.0.0.1', hasApp: true })
    assert.ok(port > 0)
    assert.equal(url, `http://127.0.0.1:${port}`)
  })

  it('fill process.env for a module that reads it as it loads, with fanlight/env before it', async (test) => {
    const program = `import '${entry('env')}'
    import { address } from './database.mjs'
    ${filled}
    console.log(JSON.stringify({ address, filled }))`
    assert.deepEqual(await printedBy(test, program), { address: expected.DATABASE_URL, filled: expected })
  })

  it('fill process.env where createApp() reads the settings itself', async (test) => {
    const program = `import { createApp, RouteCollection } from '${entry('index')}'
    const app = await createApp({ routes: new RouteCollection() })
    await app.close()
    ${filled}
    console.log(JSON.stringify({ filled, port: app.context.port }))
    process.exit()`
    assert.deepEqual(await printedBy(test, program), { filled: expected, port: 0 })
  })

  for (const runner of ['NODE_TEST_CONTEXT', 'VITEST', 'JEST_WORKER_ID'])
    it(`are those of tests in a process with ${runner}`, (test) => {
      const cwd = makeTemporaryDirectory(test)
      writeFileSync(join(cwd, '.env'), 'APP_ENV=dev\nDATABASE_URL=development\n')
      writeFileSync(join(cwd, '.env.test'), 'DATABASE_URL=tests\n')
      const env: Record<string, string> = { [runner]: 'yes' }
      fillFromEnvFiles(cwd, env)
      assert.deepEqual(env, { [runner]: 'yes', DATABASE_URL: 'tests', APP_ENV: 'test' })
      const chosen: Record<string, string> = { [runner]: 'yes', APP_ENV: 'dev' }
      fillFromEnvFiles(cwd, chosen)
      assert.equal(chosen['DATABASE_URL'], 'development')
    })

  it('change nothing where loadRuntimeContext() reads them', (test) => {
    const cwd = makeTemporaryDirectory(test)
    writeFileSync(join(cwd, '.env'), files['.env'])
    const { context } = loadRuntimeContext({ cwd, env: Object.freeze({}) })
    assert.equal(context.env, 'dev')
    assert.equal(process.env['LAYER'], undefined)
  })
})
