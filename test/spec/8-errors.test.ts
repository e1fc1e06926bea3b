// Chapter 8 of the contract: all errors in one table.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '../../src/index.ts'
import { parseResponses, sendBytes } from '../support/raw-client.ts'
import { pageText, shopRoutes, startApp } from '../support/running-app.ts'

describe('SPEC 8: status and message of every condition', () => {
  it('anything thrown by a controller: its statusCode, else 500, and its own message in debug only', async () => {
    const routes = shopRoutes()
    routes.get('teapot', '/teapot', () => {
      throw new HttpError(418, 'short and stout')
    })
    await using development = await startApp({ routes })
    await using production = await startApp({ routes, env: { APP_ENV: 'prod' } })
    const shown = await development.send({ target: '/teapot' })
    assert.equal(shown.status, 418)
    assert.ok(pageText(shown.body).includes('short and stout'))
    const hidden = await production.send({ target: '/teapot' })
    assert.equal(hidden.status, 418)
    assert.ok(!hidden.body.includes('short and stout'))
    assert.equal((await production.send({ target: '/error' })).status, 500)
  })

  it('Host missing, doubled or malformed: 400 and one constant page', async () => {
    await using running = await startApp()
    const bodies = new Set<string>()
    for (const host of [
      '',
      'Host: a\r\nHost: a\r\n',
      'Host: a b\r\n',
      'Host: a/b\r\n',
      'Host: u@h\r\n',
      'Host: [::1\r\n',
      'Host: a:b:c\r\n',
      'Host: :80\r\n',
      'Host: a:99999\r\n',
      'Host: \xe9\r\n',
    ]) {
      const bytes = await sendBytes(running.port, `GET /nope HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
      const [response] = parseResponses(bytes)
      assert.equal(response?.status, 400, JSON.stringify(host))
      if (host !== '') bodies.add(response?.body ?? '')
      assert.ok(!bytes.includes('nope'))
    }
    assert.equal(bodies.size, 1)
  })
})
