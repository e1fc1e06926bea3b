import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OpenExchanges } from '../../../src/http/kernel/open-exchanges.ts'
import { describeOpenRequest, readOpenRequests } from '../../../src/capture/open-requests.ts'
import { Reply } from '../../../src/base/http/reply.ts'
import { exchangeOf } from '../../support/exchange.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'

describe('describeOpenRequest', () => {
  it('has nothing to say of a request that is not recorded', () => {
    assert.equal(describeOpenRequest(exchangeOf()), undefined)
  })

  it('is between two steps before the first one and after the last', () => {
    const exchange = recordedExchange({ path: '/a' })
    assert.deepEqual(describeOpenRequest(exchange)?.stands, { place: 'between', name: null, forMs: null })
    exchange.recording.startSpan({ name: 'currency onRequest', category: 'listener' }).end()
    assert.equal(describeOpenRequest(exchange)?.stands.place, 'between')
  })

  it('is in what was entered last and not left', () => {
    const exchange = recordedExchange()
    exchange.recording.startSpan({ name: 'my listener onRequest', category: 'listener' })
    const { stands } = describeOpenRequest(exchange) ?? {}
    assert.deepEqual({ place: stands?.place, name: stands?.name }, { place: 'onRequest', name: 'my listener' })
    exchange.recording.startSpan({ name: 'product', category: 'controller' })
    assert.equal(describeOpenRequest(exchange)?.stands.place, 'handler')
  })

  it('is in the error page while that is drawn, with what its own recording runs', () => {
    const exchange = recordedExchange()
    exchange.recording.startSpan({ name: 'error handler', category: 'sub-request' })
    const child = exchange.createChild('error handler')
    child.recording?.startSpan({ name: 'read the source', category: 'app' })
    const request = describeOpenRequest(exchange)
    assert.equal(request?.stands.place, 'error page')
    assert.equal(request.running?.name, 'read the source')
  })

  it('is sending once the answer is made', () => {
    const exchange = recordedExchange()
    exchange.reply = new Reply(200, [], 'body')
    assert.equal(describeOpenRequest(exchange)?.stands.place, 'sending')
  })

  it('names the newest of several running calls, counts them, and keeps the last call that is over', () => {
    const exchange = recordedExchange()
    const first = exchange.recording.startSpan({
      name: 'SELECT shop',
      kind: 'client',
      category: 'store',
      attributes: { 'db.query.text': 'SELECT 1' },
    })
    exchange.recording.startSpan({ name: 'GET a.example', kind: 'client', category: 'http' })
    exchange.recording.startSpan({ name: 'rendering', category: 'template' })
    const request = describeOpenRequest(exchange)
    assert.equal(request?.running?.name, 'rendering')
    assert.equal(request.runningCount, 3)
    assert.equal(request.lastCall?.name, 'GET a.example')
    const other = recordedExchange()
    assert.equal(describeOpenRequest(other)?.lastCall, null)
    first.end()
    assert.equal(describeOpenRequest(exchange)?.runningCount, 2)
  })

  it('masks what spans and addresses hold', () => {
    const exchange = recordedExchange({ path: '/a', query: 'token=geheim-1' })
    exchange.recording.startSpan({
      name: 'Bearer abcdefghijklmnop',
      kind: 'client',
      category: 'http',
      attributes: { 'url.full': 'https://user:geheim-2@a.example/?x=1' },
    })
    assert.doesNotMatch(JSON.stringify(describeOpenRequest(exchange)), /geheim|abcdefghijklmnop/)
  })
})

it('readOpenRequests: lists the oldest first, at most 200, and counts them all', () => {
  const open = new OpenExchanges()
  for (let index = 0; index < 250; index += 1) open.add(recordedExchange({ path: `/${index}` }))
  const { requests, count } = readOpenRequests(open)
  assert.equal(count, 250)
  assert.equal(requests.length, 200)
  assert.match(requests[0]?.url ?? '', /\/0$/)
})

describe('OpenExchanges', () => {
  it('wakes who waits for the end of an exchange, and does not let wait for one that is not open', async () => {
    const open = new OpenExchanges()
    const exchange = recordedExchange()
    await open.ended(exchange)
    open.add(exchange)
    const ended = open.ended(exchange)
    open.remove([exchange])
    await ended
    assert.equal(open.size, 0)
  })

  it('finds a request by the token of its sub-request', () => {
    const open = new OpenExchanges()
    const exchange = recordedExchange()
    open.add(exchange)
    exchange.createChild('error handler')
    assert.equal(open.find('abcdefghij'), exchange)
    assert.equal(open.find('zzzzzzzzzz'), undefined)
  })
})
