import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { observeSqlite } from '../../../src/capture.ts'
import { RouteCollection } from '../../../src/index.ts'
import { runMethods } from '../../../src/observe/profile.ts'
import { spansOfProfile } from '../../../src/otel/otlp/trace-request.ts'
import { profileSpanId } from '../../../src/profiles/trace-span.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { makeProfile } from '../../support/profiles.ts'
import { startApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const caller = 'b7ad6b7169203331'

describe('spansOfProfile', () => {
  it('gives the request, its queries and its calls in the words of OpenTelemetry', async () => {
    await using service = await startEchoService()
    const database = observeSqlite(new DatabaseSync(':memory:'))
    await using app = await startWorking(async () => {
      database.prepare('SELECT 1 AS one').get()
      await (await fetch(`${service.url}/status/404`)).text()
    })
    const profile = await profileOf(app, { traceparent: `00-${traceId}-${caller}-01`, 'user-agent': 'tests' })
    const [root, ...inner] = spansOfProfile(profile)
    assert.ok(root)
    assert.deepEqual(
      [root.traceId, root.spanId, root.parentSpanId, root.name, root.kind, root.status],
      [traceId, profileSpanId(profile.token, 0), caller, 'GET /', 'server', 'unset'],
    )
    assert.deepEqual([root.startTime, root.durationMs], [profile.time, profile.durationMs])
    const { attributes } = root
    assert.equal(attributes['http.request.method'], 'GET')
    assert.equal(attributes['http.response.status_code'], 200)
    assert.equal(attributes['http.route'], '/')
    assert.equal(attributes['url.path'], '/')
    assert.equal(attributes['user_agent.original'], 'tests')
    assert.equal(attributes['fanlight.token'], profile.token)
    const query = inner.find(({ attributes: named }) => named['db.system.name'] === 'sqlite')
    assert.deepEqual([query?.kind, query?.attributes['db.query.text']], ['client', 'SELECT ? AS one'])
    const call = inner.find(({ attributes: named }) => named['url.full'] === `${service.url}/status/404`)
    assert.deepEqual(
      [call?.kind, call?.status, call?.attributes['http.response.status_code']],
      ['client', 'error', 404],
    )
    const ids = [root, ...inner].map(({ spanId }) => spanId)
    assert.equal(new Set(ids).size, ids.length)
    for (const span of inner) {
      assert.equal(span.traceId, traceId)
      assert.ok(ids.includes(span.parentSpanId ?? ''), `${span.name} is inside a span of the profile`)
      assert.ok(span.startTime >= profile.time && span.durationMs >= 0)
    }
    assert.ok(root.events.some(({ name, attributes: named }) => name === 'log' && named['log.channel'] === 'router'))
    assert.deepEqual(spansOfProfile(profile), [root, ...inner], 'the same each time')
  })

  it('names the error with its causes', async () => {
    const routes = new RouteCollection().get('broken', '/broken', () => {
      throw new TypeError('no price', { cause: new RangeError('no rate') })
    })
    await using app = await startApp({ routes })
    const { headers } = await app.app.inject({ url: '/broken' })
    const token = headers.get('x-debug-token') ?? ''
    await until(async () => (await app.profiles.read(token)) !== undefined)
    const profile = await app.profiles.read(token)
    assert.ok(profile)
    const [root] = spansOfProfile(profile)
    assert.deepEqual([root?.status, root?.statusMessage], ['error', 'no price'])
    assert.deepEqual([root?.attributes['error.type'], root?.parentSpanId], ['TypeError', null])
    const exception = root?.events.find(({ name }) => name === 'exception')?.attributes
    assert.deepEqual([exception?.['exception.type'], exception?.['exception.message']], ['TypeError', 'no price'])
    const stack = String(exception?.['exception.stacktrace'])
    assert.match(stack, /^TypeError: no price\n {4}at .*spans-of-profile\.test\.ts:\d+:\d+/)
    assert.match(stack, /\nCaused by: RangeError: no rate\n {4}at /)
  })

  it('puts a sub-request into the trace of its request, and begins a trace for what has none', () => {
    const parent = makeProfile({ token: 'parent0000' })
    const child = makeProfile({ parentToken: 'parent0000' })
    const [outer] = spansOfProfile(parent)
    const [inner] = spansOfProfile(child)
    assert.match(outer?.traceId ?? '', /^[0-9a-f]{32}$/)
    assert.equal(inner?.traceId, outer?.traceId)
    assert.deepEqual([inner?.parentSpanId, inner?.kind], [outer?.spanId, 'internal'])
  })

  it('takes the id that an outgoing request has sent', () => {
    const attributes = { 'url.full': 'http://prices/', 'http.request.method': 'GET' }
    const span = {
      parentId: null,
      name: 'GET',
      kind: 'client',
      category: 'http',
      startMs: 1,
      durationMs: 1,
      attributes,
    }
    const call = { method: 'GET', url: 'http://prices/', status: 200, error: null, durationMs: 1 }
    const profile = makeProfile({
      data: {
        time: {
          spans: [
            { ...span, id: 1 },
            { ...span, id: 2 },
          ],
          droppedSpans: 0,
        },
        'http-client': { calls: [call, { ...call, spanId: caller }], dropped: 0 },
      },
    })
    const [, first, second] = spansOfProfile(profile)
    assert.deepEqual([first?.spanId, second?.spanId], [profileSpanId(profile.token, 1), caller])
  })

  it('gives commands, and profiles of other versions, as far as they can be read', () => {
    const command = makeProfile({ method: runMethods.command, url: 'http://command/import-prices', status: 500 })
    const [root] = spansOfProfile(command)
    assert.deepEqual([root?.name, root?.kind, root?.status], ['import-prices', 'internal', 'error'])
    const odd = makeProfile({
      url: 'nothing',
      data: { time: { spans: [{}] }, exception: 3, logger: null, request: [] },
    })
    assert.equal(spansOfProfile(odd).length, 1)
  })
})
