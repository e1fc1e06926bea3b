// Chapter 4 of the contract: the error page.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { forAll } from '../support/for-all.ts'
import { pageText, shopRoutes, startApp } from '../support/running-app.ts'

const running = await forAll(startApp())

describe('SPEC 4.1: in debug the page shows everything', () => {
  it('has the status and reason phrase as its title and on the page', async () => {
    const { body, header } = await running.send({ target: '/nope?x=1' })
    assert.match(body, /<title>Error 404 Not Found<\/title>/)
    assert.ok(pageText(body.replace(/<title>.*<\/title>/, '')).includes('Error 404 Not Found'))
    assert.equal(header('content-type'), 'text/html; charset=utf-8')
  })

  it('shows method and full URL with the query', async () => {
    const text = pageText((await running.send({ target: '/nope?x=1&y=%20z' })).body)
    assert.match(text, new RegExp(`GET\\s+${running.url}/nope\\?x=1&y=%20z`))
  })

  it('links to the profile of the sub-request that drew it', async () => {
    const { body } = await running.send({ target: '/nope' })
    const token = /Forwarded to [^(]+\(([0-9a-z]{10,16})\)/.exec(pageText(body))?.[1]
    assert.ok(token !== undefined && body.includes(`href="/_profiler/${token}`))
  })

  it('shows every error of the chain with trace and source', async () => {
    const { status, body } = await running.send({ target: '/error' })
    const text = pageText(body)
    assert.equal(status, 500)
    for (const part of ['outer trouble', 'inner trouble', 'the root', '[3/3]', '[2/3]', '[1/3]', 'TypeError']) {
      assert.ok(text.includes(part), `the page lacks ${part}`)
    }
    assert.match(text, /running-app\.ts/)
    assert.match(text, /throw new Error\('outer trouble'/)
  })

  it('shows the log of the request', async () => {
    const text = pageText((await running.send({ target: '/error' })).body)
    assert.ok(text.includes('Matched route "error".'))
  })

  it('says in a sentence that there is no log when there is none', async () => {
    const { body } = await running.send({ target: '/nope' })
    assert.ok(pageText(body).length > 0)
    assert.ok(!pageText(body).includes('Matched route'))
  })
})

it('SPEC 4.2: messages are in the text verbatim: escapes only &, < and >', async () => {
  const { body } = await running.send({ target: `/a"b'c<i>&amp;` })
  assert.ok(body.includes(`No route found for "GET ${running.url}/a"b'c&lt;i&gt;&amp;amp;"`))
  assert.ok(!body.includes('<i>'))
})

describe('SPEC 4.3: the format follows Accept, the status never does', () => {
  for (const [accept, type] of [
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['application/json', 'application/problem+json'],
    ['application/problem+json', 'application/problem+json'],
    ['text/markdown', 'text/markdown'],
    ['text/plain', 'text/plain'],
    [';', 'text/html'],
  ] as const) {
    it(`Accept: ${accept ?? '(none)'} gives ${type}`, async () => {
      const response = await running.send({
        target: '/nope',
        headers: accept === undefined ? [] : [`Accept: ${accept}`],
      })
      assert.equal(response.status, 404)
      assert.equal(response.header('content-type')?.split(';')[0], type)
      assert.match(response.header('vary') ?? '', /\bAccept\b/i)
    })
  }

  it('gives RFC 9457 problem details as JSON', async () => {
    const { body } = await running.send({ target: '/nope', headers: ['Accept: application/json'] })
    const problem = JSON.parse(body) as Record<string, unknown> & { readonly debug: { readonly message: string } }
    assert.equal(problem['status'], 404)
    assert.equal(problem['title'], 'Not Found')
    assert.equal(problem.debug.message, `No route found for "GET ${running.url}/nope"`)
    assert.ok('type' in problem)
  })
})

describe('SPEC 4.4: outside debug nothing leaks', () => {
  const places = ['/nope-marker', '/secret', '/error']

  it('shows status, reason phrase and a reference that the log knows', async () => {
    await using production = await startApp({ env: { APP_ENV: 'prod' } })
    const { status, body } = await production.send({ target: '/secret' })
    assert.equal(status, 500)
    assert.match(body, /<title>Error 500 Internal Server Error<\/title>/)
    const references = production.log.lines
      .map((line) => line.context['reference'])
      .filter((value) => typeof value === 'string')
    assert.ok(
      references.some((reference) => reference !== '' && body.includes(reference)),
      'the page names a reference of the log',
    )
  })

  it('leaks no message, URL, trace, log, header or route name, in any format', async () => {
    await using production = await startApp({ env: { APP_ENV: 'prod' }, routes: shopRoutes() })
    for (const target of places) {
      for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/plain']) {
        const headers = [`Accept: ${accept}`, 'X-Canary: zq-canary', 'Referer: http://zq-referer.example/']
        const response = await production.send({ target, headers })
        const all = response.body + response.headers.flat().join('\n')
        for (const leak of [
          'hunter2',
          'nope-marker',
          'No route',
          'running-app',
          'node_modules',
          'zq-canary',
          'zq-referer',
          'products',
          'trouble',
          'x-debug',
        ]) {
          assert.ok(!all.toLowerCase().includes(leak), `${target} as ${accept} leaks "${leak}"`)
        }
      }
    }
  })
})

describe('SPEC 4.5: any thrown value gives a page', () => {
  const cycle = new Error('cycle')
  cycle.cause = cycle
  const values: readonly (readonly [string, unknown])[] = [
    ['an Error', new Error('plain')],
    ['an AggregateError', new AggregateError([new Error('member one'), new TypeError('member two')], 'several')],
    ['a cause cycle', cycle],
    ['a string', 'just text'],
    ['null', null],
    ['undefined', undefined],
    ['a number', 42],
    [
      'a Proxy with throwing traps',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap')
          },
          ownKeys: () => {
            throw new Error('trap')
          },
          getPrototypeOf: () => {
            throw new Error('trap')
          },
        },
      ),
    ],
    ['a revoked Proxy', revoked()],
    ['a huge message', new Error('m'.repeat(5_000_000))],
    ['a million keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]))],
    ['an error with hostile properties', hostile()],
  ]
  for (const [name, thrown] of values) {
    it(name, async () => {
      const routes = shopRoutes()
      routes.get('throws', '/throws', () => {
        throw thrown
      })
      await using throwing = await startApp({ routes })
      const response = await throwing.send({ target: '/throws' })
      assert.equal(response.status, 500)
      assert.match(response.body, /<title>[^<]+ · Error 500 Internal Server Error<\/title>/)
      assert.ok(response.body.length < 1_000_000)
      assert.ok(response.body.includes('Forwarded to'), 'it is the full page, not the static one')
      if (name === 'an AggregateError')
        assert.ok(response.body.includes('member one') && response.body.includes('member two'))
    })
  }
})

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function hostile(): Error {
  const error = new Error('hostile')
  const trap = (): never => {
    throw new Error('getter')
  }
  for (const name of ['name', 'stack', 'toString', 'toJSON', 'code'])
    Object.defineProperty(error, name, { get: trap, enumerable: true })
  return error
}
