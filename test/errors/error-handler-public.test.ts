// The answer to a request that failed, outside debug: a status, a reference, and nothing that tells more.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, MethodNotAllowedHttpError } from '../../src/base/http/http-error.ts'
import type { Reply } from '../../src/base/http/reply.ts'
import { renderPublicErrorPage, quietPagePolicy } from '../../src/errors/page/quiet-page.ts'
import { errorAnswer, failedWith, makeErrorHandler, makeNotFound } from '../support/error-answer.ts'
import { exchangeOf, LineList } from '../support/exchange.ts'

describe('ErrorHandler outside debug', () => {
  const secret = 'S3CR3T-MARK'
  const hostile = (): Error =>
    Object.assign(new HttpError(500, `message ${secret}`, { cause: new Error(`cause ${secret}`) }), {
      detail: secret,
      toProblem: () => ({ detail: secret }),
    })

  it('asks neither for suggestions nor for hints', async () => {
    const never = (): never => assert.fail('asked')
    const hints = [{ name: 'h', matches: never, explain: never }]
    assert.equal(
      (await errorAnswer(makeNotFound(), { debug: false, suggest: never, hints, print: never }, 'text/html', 404))
        .status,
      404,
    )
  })

  it('writes the trace of a fault of the server into the log, and of nothing else', async () => {
    const sink = new LineList()
    const handler = makeErrorHandler({ debug: false })
    const respond = async (thrown: unknown, status: number): Promise<Reply> =>
      handler.respond(failedWith(exchangeOf({}, sink), thrown), status)
    await respond(new Error('Bearer abc.def.ghi failed', { cause: new Error('below') }), 500)
    await respond(new HttpError(409, 'Out of stock'), 409)
    const trace = (sink.lines[0]?.printed?.['trace'] ?? []) as string[]
    assert.match(trace[0] ?? '', /^Error: Bearer \*{6} failed$/)
    assert.ok(trace.some((line) => line.includes('test/errors/error-handler-public.test.ts')))
    assert.ok(trace.includes('caused by Error: below'))
    assert.equal(sink.lines[1]?.printed?.['trace'], undefined)
  })

  it("draws the application's own page, under its own policy", async () => {
    const seen: unknown[] = []
    const errorPage = (facts: object, nonce: string): string => {
      seen.push(facts)
      return `<style nonce="${nonce}"></style><h1>Sorry</h1>`
    }
    const reply = await errorAnswer(hostile(), { debug: false, errorPage })
    const nonce = /nonce="([^"]+)"/.exec(String(reply.body))?.[1] ?? ''
    assert.ok(reply.header('content-security-policy')?.includes(`style-src 'self' 'nonce-${nonce}'`))
    assert.deepEqual(Object.keys(seen[0] as object), ['statusCode', 'statusText', 'reference'])
    assert.equal(reply.status, 500)
  })

  for (const [what, errorPage] of [
    ['throws', (): never => assert.fail('broken page')],
    ['returns nothing', (): string => ''],
    ['is asynchronous', async (): Promise<string> => 'late'],
    ['returns no markup', (): object => ({})],
  ] as const) {
    it(`answers with the built-in page, status and reference the same, when the application's page ${what}`, async () => {
      const sink = new LineList()
      const exchange = failedWith(exchangeOf({}, sink), hostile())
      const reply = await makeErrorHandler({ debug: false, errorPage }).respond(exchange, 418)
      const reference = String(sink.lines[0]?.context['reference'])
      assert.equal(reply.status, 418)
      assert.equal(
        String(reply.body),
        String(renderPublicErrorPage({ statusCode: 418, statusText: "I'm a Teapot", reference })),
      )
      assert.match(sink.lines[1]?.message ?? '', /^The \{responder\} failed: /)
      assert.equal(sink.lines[1]?.context['responder'], "application's error page")
    })
  }

  it('runs the built-in page under the policy of pages without scripts', async () => {
    const reply = await errorAnswer(new Error('x'), { debug: false })
    assert.equal(reply.header('content-security-policy'), quietPagePolicy)
  })
})

describe('ErrorHandler outside debug, for a request without a route', () => {
  const protective = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff']
  const shared = [...protective, 'vary', 'Accept', 'referrer-policy', 'no-referrer']
  const forms: readonly (readonly [accept: string, type: string, body: (status: number, text: string) => string])[] = [
    [
      'application/json',
      'application/problem+json',
      (status, text) => `{"type":"about:blank","title":"${text}","status":${status},"reference":"R"}`,
    ],
    [
      'text/markdown',
      'text/markdown; charset=utf-8',
      (status, text) => `# Error ${status} ${text}\n\nReference: \`R\`\n`,
    ],
    ['text/plain', 'text/plain; charset=utf-8', (status, text) => `Error ${status} ${text}\nReference: R\n`],
    [
      '*/*',
      'text/html; charset=utf-8',
      (statusCode, statusText) => String(renderPublicErrorPage({ statusCode, statusText, reference: 'R' })),
    ],
  ]
  for (const [accept, type, body] of forms) {
    it(`answers 404 and 405 for ${accept} with these bytes, and logs one masked line`, async () => {
      for (const [thrown, status, text, further] of [
        [makeNotFound(), 404, 'Not Found', []],
        [
          new MethodNotAllowedHttpError(['GET', 'HEAD'], 'no ?token=t0p'),
          405,
          'Method Not Allowed',
          ['Allow', 'GET, HEAD'],
        ],
      ] as const) {
        const log = new LineList()
        const exchange = exchangeOf({ rawHeaders: ['Accept', accept] }, log)
        const reply = await makeErrorHandler({ debug: false }).respond(failedWith(exchange, thrown), status)
        const reference = String(log.lines[0]?.context['reference'])
        assert.match(reference, /^[0-9a-z]{12}$/)
        const policy = type.startsWith('text/html') ? ['content-security-policy', quietPagePolicy] : []
        assert.equal(reply.status, status)
        assert.deepEqual(reply.headers, ['content-type', type, ...shared, ...policy, ...further])
        assert.equal(String(reply.body).replace(reference, 'R'), body(status, text))
        assert.equal(log.lines.length, 1)
        assert.equal(log.lines[0]?.context['error_class'], thrown.name)
        assert.match(String(log.lines[0]?.context['message']), /token=\*{6}/)
        assert.equal(log.lines[0]?.printed?.['trace'], undefined)
      }
    })
  }
})
