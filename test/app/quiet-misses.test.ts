import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderPublicPage } from '../../src/app/error-pages.ts'
import { QuietMisses, type QuietMissesOptions } from '../../src/app/quiet-misses.ts'
import { ErrorHandler } from '../../src/errors/error-handler.ts'
import type { Reply } from '../../src/framework/http/reply.ts'
import { missError, type RouteMiss } from '../../src/framework/kernel/route-miss.ts'
import { quietPagePolicy } from '../../src/errors/page/quiet-page.ts'
import { Redactor } from '../../src/framework/redact/redactor.ts'
import { exchangeOf, LineList, requestContext } from '../support/exchange.ts'

const notFound: RouteMiss = { kind: 'not_found' }
const notAllowed: RouteMiss = { kind: 'method_not_allowed', allow: ['GET', 'HEAD'] }

function missesOf(options: Partial<QuietMissesOptions> = {}): { misses: QuietMisses; log: LineList } {
  const log = new LineList()
  return { misses: new QuietMisses({ log, redactor: new Redactor(), ...options }), log }
}

const references = (log: LineList): unknown[] => log.lines.map(({ context }) => context['reference'])

describe('QuietMisses', () => {
  for (const [miss, status] of [
    [notFound, 404],
    [notAllowed, 405],
  ] as const) {
    for (const accept of ['*/*', 'application/json', 'text/markdown', 'text/plain']) {
      it(`answers ${status} for ${accept} as the error handler does, and logs the same line`, () => {
        const parts = { path: '/no', rawHeaders: ['Host', 'h', 'Accept', accept, 'Referer', 'http://a/?token=abc'] }
        const exchange = exchangeOf(parts)
        exchange.failure = { thrown: missError(exchange.context, miss) }
        const handler = new ErrorHandler({
          debug: false,
          projectRoot: '/',
          redactor: new Redactor(),
          renderPublicPage,
          publicPagePolicy: quietPagePolicy,
          profilerPath: null,
        })
        const { misses, log } = missesOf()
        const log2 = new LineList()
        exchange.log = exchangeOf({}, log2).log
        const expected = plain(handler.respond(exchange, status), log2)
        assert.deepEqual(plain(misses.answer(exchange.context, miss), log), expected)
        assert.equal(log.lines.length, 1)
        assert.deepEqual({ ...log.lines[0]?.context, reference: '' }, { ...log2.lines[0]?.context, reference: '' })
        misses.flush()
      })
    }
  }

  it('writes one line for equal misses, and how many there were when their time is over', () => {
    const { misses, log } = missesOf()
    const bodies = [1, 2, 3].map(() => misses.answer(requestContext({ path: '/no', query: 'x=1' }), notFound).body)
    assert.equal(new Set(bodies).size, 1)
    assert.equal(log.lines.length, 1)
    misses.flush()
    assert.deepEqual(
      log.lines.map(({ context }) => context['repeats']),
      [undefined, 2],
    )
    assert.equal(new Set(references(log)).size, 1)
    assert.ok(String(bodies[0]).includes(String(references(log)[0])))
    misses.answer(requestContext({ path: '/no' }), notFound)
    assert.equal(new Set(references(log)).size, 2)
    misses.flush()
  })

  it('tells requests apart by method, host, path and referer', () => {
    const { misses, log } = missesOf()
    for (const parts of [
      {},
      { method: 'POST' },
      { host: 'other' },
      { path: '/other' },
      { rawHeaders: ['Referer', 'http://there/'] },
    ]) {
      misses.answer(requestContext({ path: '/no', ...parts }), notFound)
    }
    assert.equal(new Set(references(log)).size, 5)
    misses.flush()
  })

  it('lets misses beyond the most that are open share a reference and a line, each with its own Allow', () => {
    const { misses, log } = missesOf({ maxOpen: 2 })
    const ask = (path: string, miss: RouteMiss = notFound): Reply => misses.answer(requestContext({ path }), miss)
    ask('/a')
    ask('/b')
    assert.equal(log.lines.length, 2)
    const bodies = ['/c', '/d', '/e'].map((path) => ask(path).body)
    assert.equal(new Set(bodies).size, 1)
    assert.ok(String(bodies[0]).includes(String(references(log)[2])))
    assert.equal(ask('/f', notAllowed).header('allow'), 'GET, HEAD')
    assert.equal(ask('/f', { kind: 'method_not_allowed', allow: ['POST'] }).header('allow'), 'POST')
    ask('/a')
    assert.equal(log.lines.length, 5)
    misses.flush()
    assert.deepEqual(
      log.lines.slice(5).map(({ context }) => context['repeats']),
      [1, 3, 1, 1],
    )
    ask('/c')
    assert.match(String(log.lines.at(-1)?.context['message']), /\/c/)
    misses.flush()
  })

  it('hands out headers that one answer may change without the next one seeing it', () => {
    const { misses } = missesOf()
    misses.answer(requestContext(), notFound).setHeader('x-own', '1')
    assert.equal(misses.answer(requestContext(), notFound).header('x-own'), undefined)
    misses.flush()
  })

  it('masks what the log must not hold', () => {
    const { misses, log } = missesOf()
    misses.answer(requestContext({ rawHeaders: ['Referer', 'http://u:hunter2@h/?password=hunter2'] }), notFound)
    misses.answer(requestContext({ rawHeaders: ['Referer', 'http://u:hunter2@h/?password=hunter2'] }), notFound)
    misses.flush()
    assert.ok(!JSON.stringify(log.lines).includes('hunter2'))
  })
})

/** An answer as text, without its reference. */
function plain({ status, headers, body }: Reply, log: LineList): object {
  const reference = String(log.lines[0]?.context['reference'])
  assert.match(reference, /^[0-9a-z]{12}$/)
  assert.ok(String(body).includes(reference))
  return { status, headers, body: String(body).replace(reference, '') }
}
