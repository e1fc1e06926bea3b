// The answer to a request that failed, in debug: every form, and what is noted besides.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ErrorChain } from '../../src/errors/flattened-error.ts'
import { HttpError, MethodNotAllowedHttpError } from '../../src/base/http/http-error.ts'
import { errorAnswer, failedWith, makeErrorHandler, makeNotFound } from '../support/error-answer.ts'
import { makeSuggestion } from '../support/error-view.ts'
import { exchangeOf, LineList } from '../support/exchange.ts'
import { pageText } from '../support/page-text.ts'
import { pick } from '../support/pick.ts'
import { recordedExchange } from '../support/recorded-exchange.ts'

describe('ErrorHandler in debug', () => {
  it('answers with the page, under a policy that names its nonce', async () => {
    const reply = await errorAnswer(makeNotFound(), {}, 'text/html', 404)
    const nonce = /nonce="([^"]+)"/.exec(String(reply.body))?.[1] ?? ''
    assert.equal(reply.status, 404)
    assert.equal(reply.header('content-type'), 'text/html; charset=utf-8')
    assert.ok(nonce.length > 10 && reply.header('content-security-policy')?.includes(`'nonce-${nonce}'`))
    assert.match(String(reply.body), /\(from "http:\/\/h\/\?token=t0p"\)/)
  })

  it('forbids caching and sniffing and varies by Accept in every form', async () => {
    for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/plain']) {
      for (const debug of [true, false]) {
        const reply = await errorAnswer(new Error('x'), { debug }, accept)
        assert.deepEqual(
          ['cache-control', 'x-content-type-options', 'vary'].map((name) => reply.header(name)),
          ['no-store', 'nosniff', 'Accept'],
        )
        assert.equal(reply.status, 500)
      }
    }
  })

  it('shows everything masked but for URL and messages', async () => {
    const page = String((await errorAnswer(makeNotFound(), {}, 'text/html', 500)).body)
    assert.ok(page.includes('http://127.0.0.1:8000/nope?password=hunter2&amp;a=1'))
    const text = pageText(page)
    for (const shown of [
      /Error 500 Internal Server Error GET/,
      /Forwarded to error handler/,
      /password\s+\*{6}\s+a\s+1/,
      /Accept\s+text\/html\s+Cookie\s+sid=\*{6}/,
      /\[2\/2\]\s+NotFoundHttpError[^]*\[1\/2\]\s+ResourceNotFoundError/,
    ])
      assert.match(text, shown)
  })

  it('gives the copy menu masked text only', async () => {
    const page = String((await errorAnswer(makeNotFound(), {}, 'text/html', 404)).body)
    const json = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? ''
    const { markdown = '' } = JSON.parse(json) as Record<string, string>
    assert.ok(
      markdown.includes('No route found') && !markdown.includes('hunter2') && !markdown.includes('=t0p'),
      markdown,
    )
  })

  it('answers with a problem document', async () => {
    const reply = await errorAnswer(makeNotFound(), {}, 'application/json', 404)
    const problem = JSON.parse(String(reply.body)) as Record<string, unknown>
    assert.equal(reply.header('content-type'), 'application/problem+json')
    assert.deepEqual([problem['type'], problem['title'], problem['status']], ['about:blank', 'Not Found', 404])
    assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'reference', 'debug'])
    const debug = problem['debug'] as { message: string; errors: { trace: string[] }[] }
    assert.equal(debug.message, 'No route found for "GET http://127.0.0.1:8000/nope" (from "http://h/?token=t0p")')
    assert.equal(debug.errors.length, 2)
    assert.ok(debug.errors[0]?.trace[0]?.includes('test/support/error-answer.ts'))
  })

  it('lets an error add to its problem document, once and guarded', async () => {
    let calls = 0
    class InvalidCart extends HttpError {
      toProblem(): object {
        calls += 1
        return { type: 'https://shop/invalid-cart', fields: ['total'], password: 'hunter2', status: 200 }
      }
    }
    const problem = JSON.parse(
      String((await errorAnswer(new InvalidCart(422, 'x'), {}, 'application/json', 422)).body),
    ) as Record<string, unknown>
    assert.deepEqual(
      [problem['type'], problem['fields'], problem['status']],
      ['https://shop/invalid-cart', ['total'], 422],
    )
    assert.equal(problem['password'], '******')
    assert.equal(calls, 1)
    const throwing = Object.assign(new Error('x'), {
      toProblem: () => {
        throw new Error('no')
      },
    })
    assert.equal((await errorAnswer(throwing, {}, 'application/json')).status, 500)
  })

  it('sends the headers the error brings, and drops what is unfit', async () => {
    const allow = await errorAnswer(new MethodNotAllowedHttpError(['GET', 'HEAD'], 'x'), {}, 'text/html', 405)
    assert.equal(allow.header('Allow'), 'GET, HEAD')
    const headers = {
      'X-A': 'a\r\nX-Injected: 1',
      'X B': 'b',
      'X-C': '\u{1f4a9}',
      'Retry-After': '5',
      'Content-Type': 'text/x',
      'Cache-Control': 'public',
    }
    const thrown = new HttpError(503, 'x', { headers })
    // Any code may add to the list of an error, even half a field.
    Object.assign(thrown, { headers: [...thrown.headers, 'odd'] })
    const reply = await errorAnswer(thrown, {}, 'text/html', 503)
    assert.equal(reply.header('retry-after'), '5')
    for (const name of ['X-A', 'X B', 'X-C', 'odd', 'X-Injected']) assert.equal(reply.header(name), undefined)
    assert.deepEqual(
      [reply.header('content-type'), reply.header('cache-control')],
      ['text/html; charset=utf-8', 'no-store'],
    )
  })

  it('suggests routes for what no route matched, and only then', async () => {
    const options = { suggest: () => [makeSuggestion({ routeName: 'near' })] }
    assert.ok(String((await errorAnswer(makeNotFound(), options, 'application/json', 404)).body).includes('"near"'))
    assert.ok(!String((await errorAnswer(new Error('x'), options, 'application/json')).body).includes('"near"'))
    const throwing = {
      suggest: () => {
        throw new Error('no')
      },
    }
    assert.equal((await errorAnswer(makeNotFound(), throwing, 'text/html', 404)).status, 404)
  })

  it('explains what its hints know, and survives a hint that throws', async () => {
    const hints = [
      {
        name: 'bad',
        matches: () => {
          throw new Error('no')
        },
        explain: () => ({ title: '', text: '' }),
      },
      { name: 'good', matches: () => true, explain: () => ({ title: 'Known trouble', text: 'Do this.' }) },
    ]
    assert.match(String((await errorAnswer(new Error('x'), { hints }, 'text/plain')).body), /Known trouble: Do this\./)
  })

  it('keeps the masked chain on both recordings and links the tokens', async () => {
    const exchange = recordedExchange({ path: '/nope' })
    const child = failedWith(exchange, makeNotFound())
    const body = String((await makeErrorHandler().respond(child, 404)).body)
    for (const recording of [exchange.recording, child.recording]) {
      const chain = recording?.kept('exception') as ErrorChain
      assert.equal(
        chain.errors[0]?.message,
        'No route found for "GET http://127.0.0.1:8000/nope" (from "http://h/?token=******")',
      )
    }
    assert.ok(body.includes('token=t0p'))
  })

  it('writes one masked line, with the reference of the answer', async () => {
    const sink = new LineList()
    const child = failedWith(exchangeOf({ rawHeaders: ['Accept', 'text/plain'] }, sink), makeNotFound())
    const body = String((await makeErrorHandler().respond(child, 404)).body)
    assert.equal(sink.lines.length, 1)
    const { level, context } = sink.lines[0] ?? { level: '', context: {} }
    assert.equal(level, 'info')
    assert.match(String(context['message']), /token=\*{6}/)
    assert.match(String(context['reference']), /^[0-9a-z]{12}$/)
    assert.ok(body.includes(String(context['reference'])))
  })

  it('prints errors of the server, masked, and no others', async () => {
    const printed: (readonly [status: number, chain: ErrorChain])[] = []
    for (const status of [404, 500]) {
      await errorAnswer(makeNotFound(), { print: (_, ...told) => printed.push(told) }, 'text/html', status)
    }
    assert.deepEqual(pick(printed, 0), [500])
    assert.match(printed[0]?.[1].errors[0]?.message ?? '', /token=\*{6}/)
  })

  it('rejects with what a page throws, so that the next responder answers', async () => {
    const editor = (): never => {
      throw new Error('template')
    }
    await assert.rejects(errorAnswer(new Error('x'), { editor }), /template/)
  })
})
