// The log lines of requests that match no route, and the references that their responses share.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MissLog, type MissLogOptions } from '../../src/errors/miss-log.ts'
import type { RequestParts } from '../../src/framework/http/request.ts'
import { LineList, requestContext } from '../support/exchange.ts'

interface Misses {
  readonly misses: MissLog
  readonly log: LineList
  /** The reference for a request that differs in these parts. */
  readonly ask: (parts?: Partial<RequestParts>, status?: number) => string
}

function missesOf(options: MissLogOptions = {}): Misses {
  const log = new LineList()
  const misses = new MissLog(log, options)
  const ask: Misses['ask'] = (parts = {}, status = 404) =>
    misses.note(requestContext({ path: '/no', ...parts }), status, () => ({
      errorClass: 'NotFoundHttpError',
      message: `nothing at ${parts.path ?? '/no'}`,
    }))
  return { misses, log, ask }
}

const references = (log: LineList): unknown[] => log.lines.map(({ context }) => context['reference'])

describe('MissLog', () => {
  it('writes one line for equal misses, and how many there were when their time is over', () => {
    const { misses, log, ask } = missesOf()
    const given = [1, 2, 3].map((value) => ask({ query: `x=${value}` }))
    assert.equal(new Set(given).size, 1)
    assert.equal(log.lines.length, 1)
    assert.match(String(given[0]), /^[0-9a-z]{12}$/)
    misses.flush()
    assert.deepEqual(
      log.lines.map(({ context }) => [context['repeats'], context['message']]),
      [
        [undefined, 'nothing at /no'],
        [2, 'nothing at /no'],
      ],
    )
    assert.deepEqual(references(log), [given[0], given[0]])
    assert.notEqual(ask(), given[0])
    misses.flush()
    assert.equal(log.lines.length, 3)
  })

  it('tells requests apart by status, method, host, path and referer', () => {
    const { misses, log, ask } = missesOf()
    ask()
    ask({ method: 'POST' })
    ask({ host: 'other' })
    ask({ path: '/other' })
    ask({ rawHeaders: ['Referer', 'http://there/'] })
    ask({}, 405)
    assert.equal(new Set(references(log)).size, 6)
    misses.flush()
  })

  it('lets misses beyond the limit share a reference and a line for each status', () => {
    const { misses, log, ask } = missesOf({ maxOpen: 2 })
    ask({ path: '/a' })
    ask({ path: '/b' })
    assert.equal(log.lines.length, 2)
    const crowd = ['/c', '/d', '/e'].map((path) => ask({ path }))
    assert.equal(new Set(crowd).size, 1)
    assert.equal(crowd[0], references(log)[2])
    assert.notEqual(ask({ path: '/f' }, 405), crowd[0])
    ask({ path: '/a' })
    assert.equal(log.lines.length, 4)
    misses.flush()
    assert.deepEqual(
      log.lines.slice(4).map(({ context }) => context['repeats']),
      [1, 3, 1],
    )
    ask({ path: '/c' })
    assert.equal(log.lines.at(-1)?.context['message'], 'nothing at /c')
    misses.flush()
  })

  it('has room for a thousand different misses of a second', () => {
    const { misses, log, ask } = missesOf()
    for (let index = 0; index < 1002; index += 1) ask({ path: `/${index}` })
    assert.equal(log.lines.length, 1001)
    assert.equal(log.lines.at(-1)?.context['limit'], 1000)
    misses.flush()
  })
})
