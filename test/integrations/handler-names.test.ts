// What the request panel calls the function that handled a request of Express.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { appFolder } from '../support/registered-app.ts'

const program = `import express from 'express'
const app = express()
app.get('/arrow', (request, response) => void response.end())
app.get('/named', function named(request, response) { response.end() })
const server = app.listen(0, '127.0.0.1', async () => {
  const url = 'http://127.0.0.1:' + server.address().port
  for (const path of ['/arrow', '/named', '/none']) {
    const token = (await fetch(url + path)).headers.get('x-debug-token')
    const page = await (await fetch(url + '/_profiler/' + token + '?panel=request')).text()
    console.log(/Handler<[^]*?<td[^>]*>(?:<[^>]*>)*([^<]*)/.exec(page)?.[1].trim())
  }
  process.exit()
})
`

it('names functions; one without a name by the place of its route', async () => {
  await using folder = appFolder({ 'app.mjs': program, 'package.json': '{}' })
  const { stdout } = await folder.run(['--require', join(import.meta.dirname, '../../src/preload.cts'), 'app.mjs'])
  assert.deepEqual(stdout.trim().split('\n').slice(0, 2), ['app.mjs:3', 'named'])
})
