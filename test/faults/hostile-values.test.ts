// Every hostile value there is (SECURITY F22, F23), through a whole application: logged and thrown by a controller, shown on
// the page, written by the process log, kept in the store and drawn by the profiler.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { openEngine } from '../../src/app/open-engine.ts'
import { RouteCollection } from '../../src/index.ts'
import { createProcessLog } from '../../src/base/log/process-log.ts'
import { hostileCalls, hostileValues } from '../support/hostile-values.ts'
import { startApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const maxPage = 1024 * 1024

describe('hostile values in a whole application', () => {
  it('give a page, a log line and a profile each, none over a megabyte, and run no code of theirs twice', async (test) => {
    const makers = Object.values(hostileValues)
    const routes = new RouteCollection()
    routes.get('hostile', '/hostile/{index}', ({ request: { params }, log }) => {
      const value: unknown = makers[Number(params.index)]?.()
      log.error('It holds {value}.', { value })
      throw value
    })
    const lines: string[] = []
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(
          ...chunk
            .toString()
            .split('\n')
            .filter((line) => line !== ''),
        )
        done()
      },
    })
    const log = createProcessLog({ destination })
    const store = `sqlite:${join(makeTemporaryDirectory(test), 'store.db')}`
    await using app = await startApp({ routes, log, env: { APP_STORE: store } })
    const tokens: string[] = []
    for (const [index, name] of Object.keys(hostileValues).entries()) {
      hostileCalls.clear()
      const before = lines.length
      const { status, body, header } = await app.send({ target: `/hostile/${index}` })
      assert.ok(status >= 400 && status < 600, `${name}: ${status}`)
      assert.ok(body.length > 1000 && body.length < maxPage, `${name}: a page of ${body.length}`)
      assert.ok(body.includes('</html>'), name)
      for (const line of lines.slice(before)) {
        JSON.parse(line)
        assert.ok(line.length < maxPage, `${name}: a line of ${line.length}`)
      }
      assert.ok(
        lines.slice(before).some((line) => line.includes('It holds ')),
        name,
      )
      assert.equal(hostileCalls.get('then') ?? 0, 0, `${name}: then was called`)
      // Two keys of a Proxy are two calls of one trap.
      for (const [called, times] of hostileCalls) {
        assert.ok(times === 1 || called in Reflect, `${name}: ${called} was called ${times} times`)
      }
      tokens.push(header('x-debug-token') ?? '')
    }
    const engine = await openEngine(store)
    test.after(() => engine.close())
    for (const [index, token] of tokens.entries()) {
      const name = Object.keys(hostileValues)[index]
      await until(async () => (await engine.profiles.read(token)) !== undefined)
      for (const panel of ['exception', 'logger']) {
        const { status, body } = await app.send({ target: `/_profiler/${token}?panel=${panel}` })
        assert.equal(status, 200, `${name}: ${panel}`)
        assert.ok(body.length < maxPage, `${name}: ${panel} of ${body.length}`)
      }
    }
  })
})
