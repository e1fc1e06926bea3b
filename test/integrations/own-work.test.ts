// Nothing that the profiler does itself is said of a request: handlers that do nothing are neither slow nor block anything, from the
// first request of a process on.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { appFolder, register } from '../support/registered-app.ts'

const source = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href

/** Both have `/ok`, `/page`, `/fail` and `/refuse`, and a `url` in the last block. */
const applications: Readonly<Record<string, string>> = {
  'an application of Fanlight': `
import { createApp, html, json, loadRuntimeContext, reply, RouteCollection } from ${JSON.stringify(source)}
import { HttpError } from ${JSON.stringify(source)}
const routes = new RouteCollection()
  .get('ok', '/ok', () => json({}))
  .get('page', '/page', () => reply(html\`<!doctype html><html><head></head><body><p>Page</p></body></html>\`))
  .get('fail', '/fail', () => { throw new Error('Not in stock') })
  .get('refuse', '/refuse', () => { throw new HttpError(403, 'Not yours') })
const { context } = loadRuntimeContext({ cwd: process.cwd(), env: { ...process.env, PORT: '0' } })
const app = await createApp({ routes, context })
const { url } = await app.listen()
const close = () => app.close()
`,
  Express: `
import express from 'express'
const app = express()
app.get('/ok', (request, response) => response.json({}))
app.get('/page', (request, response) => response.send('<!doctype html><html><head></head><body><p>Page</p></body></html>'))
app.get('/fail', () => { throw new Error('Not in stock') })
app.get('/refuse', () => { throw Object.assign(new Error('Not yours'), { status: 403 }) })
process.env.NODE_ENV = 'test'
const server = await new Promise((resolve) => { const made = app.listen(0, '127.0.0.1', () => resolve(made)) })
const url = 'http://127.0.0.1:' + server.address().port
const close = () => server.close()
`,
}

/** Sends from another thread, one after another, the first path first; prints what the profiles say. */
const client = (first: string): string => `
import { Worker } from 'node:worker_threads'
const sender = new Worker(\`
  const { parentPort, workerData: { url, first } } = require('node:worker_threads')
  const get = async (path, accept = 'text/html', fields = {}) => {
    const answer = await fetch(url + path, { headers: { accept, ...fields } })
    await answer.text()
    return answer.headers.get('x-debug-token')
  }
  const read = async (token) => {
    for (;;) {
      const answer = await fetch(url + '/_profiler/' + token, { headers: { accept: 'application/json' } })
      const text = await answer.text()
      if (answer.status === 200 && !text.includes('has not ended yet')) return JSON.parse(text)
    }
  }
  const send = async () => {
    const sent = []
    for (const path of [first, ...Array.from({ length: 3 }, () => ['/ok', '/page', '/fail', '/refuse', '/nowhere']).flat()]) {
      const fields = path === '/page' ? { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' } : {}
      sent.push([path, await get(path, 'text/html', fields)])
    }
    sent.push(['/ok', await get('/ok', '*/*', { 'x-fanlight-profile': 'cpu' })])
    for (const [path, token] of sent) {
      const { findings, data: { time } } = await read(token)
      parentPort.postMessage({ path, findings, heldUp: time.blocked })
    }
    parentPort.postMessage(null)
  }
  send().catch((thrown) => { console.error(thrown); process.exit(1) })
\`, { eval: true, workerData: { url, first: ${JSON.stringify(first)} } })
sender.on('message', (seen) => {
  if (seen !== null) console.log('seen ' + JSON.stringify(seen))
  else void sender.terminate().then(close)
})
`

interface SeenRequest {
  readonly path: string
  readonly findings: readonly string[]
  readonly heldUp: readonly unknown[]
}

for (const [name, application] of Object.entries(applications)) {
  describe(`our own work in ${name}`, () => {
    for (const first of ['/ok', '/page', '/fail']) {
      it(`is not said of requests that do nothing, ${first} first`, async () => {
        await using folder = appFolder({ 'app.mjs': `${application}${client(first)}` })
        const inExpress = name === 'Express' ? ['--import', register] : []
        const { stdout, stderr } = await folder.run([...inExpress, 'app.mjs'])
        const seen = stdout.split('\n').filter((line) => line.startsWith('seen '))
        const requests = seen.map((line) => JSON.parse(line.slice(5)) as SeenRequest)
        assert.equal(requests.length, 17, `${stdout}${stderr}`)
        const named = requests.filter(
          ({ findings, heldUp }) => findings.includes('slow') || findings.includes('blocked') || heldUp.length > 0,
        )
        assert.deepEqual(named, [])
      })
    }
  })
}
