// The example of a language model, started as its comment says, with a server that answers as a model does.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startAiServer } from '../support/ai-server.ts'
import { runFile } from '../support/running-process.ts'
import { until } from '../support/until.ts'

it('examples/ai.ts: shows the calls, the tool, and the prompt', async () => {
  await using server = await startAiServer()
  await using example = await runFile('examples/ai.ts', { AI_URL: server.url, AI_MODEL: 'small' })
  const answer = await fetch(`${example.url}/ask`, { method: 'POST', body: 'How warm is it in Oslo?' })
  assert.match(await answer.text(), /Hello/)
  const panel = `${example.url}/_profiler/${answer.headers.get('x-debug-token')}?panel=ai`
  let page = ''
  await until(async () => {
    page = await (await fetch(panel)).text()
    return page.includes('Model calls')
  })
  assert.match(page, /small[^]*examples\/ai\.ts:\d+[^]*weather[^]*How warm is it in Oslo/)
})
