// The answer to a request that failed, outside debug: a status, a reference, and nothing that tells more.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '../../src/framework/http/http-error.ts'
import { errorAnswer, failedWith, makeErrorHandler, makeNotFound } from '../support/error-answer.ts'
import { exchangeOf, LineList } from '../support/exchange.ts'

describe('ErrorHandler outside debug', () => {
  const secret = 'S3CR3T-MARK'
  const hostile = (): Error =>
    Object.assign(new HttpError(500, `message ${secret}`, { cause: new Error(`cause ${secret}`) }), {
      detail: secret,
      toProblem: () => ({ detail: secret }),
    })

  for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/plain', '*/*']) {
    it(`says status and reference and nothing else for ${accept}`, () => {
      const reply = errorAnswer(hostile(), { debug: false }, accept)
      const everything = `${reply.headers.join('\n')}\n${String(reply.body)}`
      for (const leak of [secret, 'nope', 'hunter2', 'HttpError', 'error-handler', 'at ', '127.0.0.1', 'sid']) {
        assert.ok(!everything.includes(leak), `${leak} in ${everything}`)
      }
      assert.match(everything, /\b[0-9a-z]{12}\b/)
      assert.ok(everything.includes('Internal Server Error'))
    })
  }

  it('has exactly four members in its problem document', () => {
    const problem = JSON.parse(String(errorAnswer(hostile(), { debug: false }, 'application/json').body)) as object
    assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'reference'])
  })

  it('asks neither for suggestions nor for hints', () => {
    const never = (): never => assert.fail('asked')
    const hints = [{ name: 'h', matches: never, explain: never }]
    assert.equal(
      errorAnswer(makeNotFound(), { debug: false, suggest: never, hints, print: never }, 'text/html', 404).status,
      404,
    )
  })

  it('writes the trace of a fault of the server into the log, and of nothing else', () => {
    const sink = new LineList()
    const respond = (thrown: unknown, status: number): void => {
      makeErrorHandler({ debug: false }).respond(failedWith(exchangeOf({}, sink), thrown), status)
    }
    respond(new Error('Bearer abc.def.ghi failed', { cause: new Error('below') }), 500)
    respond(makeNotFound(), 404)
    const trace = sink.lines[0]?.context['trace'] as string[]
    assert.match(trace[0] ?? '', /^Error: Bearer \*{6} failed$/)
    assert.ok(trace.some((line) => line.includes('test/errors/error-handler-public.test.ts')))
    assert.ok(trace.includes('caused by Error: below'))
    assert.equal(sink.lines[1]?.context['trace'], undefined)
  })

  it("draws the application's own page, under a policy of its own", () => {
    const seen: unknown[] = []
    const ownPublicPage = (facts: object, nonce: string): string => {
      seen.push(facts)
      return `<style nonce="${nonce}"></style><h1>Sorry</h1>`
    }
    const reply = errorAnswer(hostile(), { debug: false, ownPublicPage, publicPagePolicy: "default-src 'none'" })
    const nonce = /nonce="([^"]+)"/.exec(String(reply.body))?.[1] ?? ''
    assert.ok(reply.header('content-security-policy')?.includes(`style-src 'self' 'nonce-${nonce}'`))
    assert.deepEqual(Object.keys(seen[0] as object), ['statusCode', 'statusText', 'reference'])
    assert.equal(reply.status, 500)
  })

  for (const [what, ownPublicPage] of [
    ['throws', (): never => assert.fail('broken page')],
    ['returns nothing', (): string => ''],
    ['is asynchronous', async (): Promise<string> => 'late'],
    ['returns no markup', (): object => ({})],
  ] as const) {
    it(`answers with the built-in page, status and reference the same, when the application's page ${what}`, () => {
      const sink = new LineList()
      const exchange = failedWith(exchangeOf({}, sink), hostile())
      const reply = makeErrorHandler({ debug: false, ownPublicPage }).respond(exchange, 418)
      const reference = String(sink.lines[0]?.context['reference'])
      assert.equal(reply.status, 418)
      assert.equal(
        String(reply.body),
        `<public>${JSON.stringify({ statusCode: 418, statusText: "I'm a Teapot", reference })}</public>`,
      )
      assert.match(sink.lines[1]?.message ?? '', /could not be made/)
      assert.equal(sink.lines[1]?.context['answer'], "application's error page")
    })
  }

  it('runs its page under the policy it is given', () => {
    const reply = errorAnswer(new Error('x'), { debug: false, publicPagePolicy: "default-src 'none'" })
    assert.equal(reply.header('content-security-policy'), "default-src 'none'")
  })
})
