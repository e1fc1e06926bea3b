// A proxy written in Node, which is recorded like what is behind it: one toolbar, one token, and both profiles.

import assert from 'node:assert/strict'
import { createServer, request as send } from 'node:http'
import { it } from 'node:test'
import { ask, browser, listen, profilesOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
await import('../../src/register.ts')

const page = `<!doctype html><html><head><title>Shop</title></head><body>${'<p>a long page</p>'.repeat(9000)}</body></html>`

for (const [name, pieces] of [
  ['in one piece', [page]],
  ['in small pieces', page.match(/[^]{1,900}/g) ?? []],
] as const) {
  it(`a page behind a proxy has one toolbar, and leads to the profile of the proxy: ${name}`, async (test) => {
    const inner = await listen(test, (_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      for (const piece of pieces) response.write(piece)
      response.end()
    })
    const outer = await listen(
      test,
      createServer((request, response) => {
        const { url: path = '', method, headers } = request
        const forwarded = send({ port: inner.port, host: '127.0.0.1', path, method, headers }, (got) => {
          response.writeHead(got.statusCode ?? 502, got.headers)
          got.pipe(response)
        })
        request.pipe(forwarded)
      }),
    )
    const path = `/${name.replaceAll(' ', '-')}`
    const { text, headers } = await ask(outer.port, { path, headers: browser })
    assert.equal(text.split('<fanlight-toolbar ').length, 2)
    assert.equal(text.split('document.currentScript.remove()').length, 2)
    const own = (await profilesOf(outer.port)).filter(({ url }) => url.endsWith(path))
    assert.equal(own.length, 2)
    const proxy = own.find(({ token }) => token === headers['x-debug-token'])
    assert.ok(proxy !== undefined && !text.includes(`/${proxy.token}?panel`))
    assert.equal(headers['x-debug-token-link'], `/_profiler/${proxy.token}`)
    const { status } = await ask(outer.port, { path: `/_profiler/${proxy.token}` })
    assert.equal(status, 200)
  })
}
