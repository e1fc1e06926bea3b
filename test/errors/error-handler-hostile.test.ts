// The answer to a request for which something was thrown that nobody should throw.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInHints } from '../../src/errors/hints/index.ts'
import { errorAnswer } from '../support/error-answer.ts'
import { hostileCalls, hostileValues } from '../support/hostile-values.ts'

it('ErrorHandler with what is not an Error: answers for any thrown value', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  for (const thrown of [null, undefined, 'text', 0, proxy, {}, [], () => 1, Symbol('s')]) {
    for (const debug of [true, false]) {
      for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/plain']) {
        assert.equal((await errorAnswer(thrown, { debug }, accept)).status, 500)
      }
    }
  }
})

describe('ErrorHandler with a getter that overflows the stack (F24)', () => {
  const overflow = (): string => overflow().trim()
  it('answers, whichever property of the thrown value it is', async () => {
    for (const name of ['message', 'name', 'stack', 'code', 'cause', 'statusCode', 'toProblem', 'own']) {
      const thrown = Object.defineProperty(new Error('meant'), name, { get: overflow, enumerable: true })
      for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/plain']) {
        for (const debug of [true, false])
          assert.equal((await errorAnswer(thrown, { debug }, accept)).status, 500, name)
      }
    }
  })
})

describe('ErrorHandler with hostile values', () => {
  for (const [name, make] of Object.entries(hostileValues)) {
    it(`answers ${name} in every form, under a megabyte`, async () => {
      const thrown = make()
      for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/plain']) {
        hostileCalls.clear()
        const { status, body } = await errorAnswer(thrown, { hints: builtInHints }, accept)
        assert.equal(status, 500)
        assert.ok(String(body).length < 1024 * 1024, `${String(body).length} for ${accept}`)
        for (const [called, times] of hostileCalls) assert.equal(times, 1, `${called} was called ${times} times`)
      }
    })
  }
})
