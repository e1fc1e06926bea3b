// The example of mail, started as its comment says.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runFile } from '../support/running-process.ts'
import { until } from '../support/until.ts'

it('examples/mail.ts: shows the mail that it did not send', async () => {
  await using example = await runFile('examples/mail.ts', { APP_MAIL: 'hold' })
  const answer = await fetch(`${example.url}/orders`, { method: 'POST' })
  assert.equal(answer.status, 201)
  const panel = `${example.url}/_profiler/${answer.headers.get('x-debug-token')}?panel=mail`
  let page = ''
  await until(async () => {
    page = await (await fetch(panel)).text()
    return page.includes('Your order 12')
  })
  assert.match(page, /held back[^]*Your order 12[^]*examples\/mail\.ts:\d+[^]*ada\.lovelace@example\.org[^]*<iframe/)
})
