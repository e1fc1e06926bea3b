// What an observed process loads for a request, and what only for an error or a page of the profiler.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { appFolder, register } from '../support/registered-app.ts'
import { runNode } from '../support/running-process.ts'

const telling = `
import express from 'express'
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
const app = express()
app.get('/loaded', (request, response) => response.json([...loaded, ...process.moduleLoadList]))
app.get('/fails', () => { throw new Error('no stock') })
const server = app.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/'))`

/** Of the `fetch` of Node, the parser of sources, the error page, the pages of the profiler, and what notes lines. */
const late = /undici\/undici|@babel\/parser|debug-renderer|profiler-controller|create-app|code-tracer/

it('loads error pages, the parser, pages and the fetch of Node when they are needed', async () => {
  await using folder = appFolder({ 'app.mjs': telling })
  await using app = await runNode(['--import', register, 'app.mjs'], {}, folder.path)
  const lateParts = async (): Promise<readonly string[]> => {
    const response = await fetch(new URL('loaded', app.url))
    assert.ok(response.headers.has('x-debug-token'))
    return ((await response.json()) as string[]).filter((name) => late.test(name))
  }
  await lateParts()
  assert.deepEqual(await lateParts(), [])
  const failed = await fetch(new URL('fails', app.url), { headers: { accept: 'text/html' } })
  assert.match(await failed.text(), /no stock[^]*app\.mjs:8/)
})

const listening = `
import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
let isLoaded = false
registerHooks({ load: (url, context, next) => ((isLoaded ||= url.includes('/serve-requests.')), next(url, context)) })
const server = createServer()
setImmediate(() => {
  console.log(isLoaded ? 'too early' : 'nothing yet')
  server.listen(0, '127.0.0.1')
  const timer = setInterval(() => {
    if (!isLoaded) return
    clearInterval(timer)
    console.log('loaded')
    server.close()
  }, 5)
})`

it('loads what records when a server listens, before anybody asks it', async () => {
  await using folder = appFolder({ 'listening.mjs': listening })
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', register, 'listening.mjs'], {
    cwd: folder.path,
    env: { FANLIGHT: 'on' },
  })
  assert.deepEqual(stdout.trim().split('\n'), ['nothing yet', 'loaded'])
})
