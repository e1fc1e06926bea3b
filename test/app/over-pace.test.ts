// Requests beyond the pace of recording: answered as ever, without a profile and a log line.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startApp } from '../support/running-app.ts'
import { pick } from '../support/pick.ts'

it('an application that gets more requests than it records: logs the route of those that are recorded, and what goes wrong in all of them', async () => {
  await using running = await startApp({ recording: { maxPerSecond: 0.001 } })
  const answers = []
  for (const target of ['/api', '/api', '/nope', '/error']) answers.push(await running.send({ target }))
  assert.deepEqual(pick(answers, 'status'), [200, 200, 404, 500])
  assert.ok(answers[0]?.header('x-debug-token') !== undefined)
  assert.equal(answers[1]?.header('x-debug-token'), undefined)
  const messages = running.log.lines.map(({ channel, level }) => `${channel} ${level}`)
  assert.deepEqual(
    messages.filter((said) => said.startsWith('router') || said.startsWith('kernel')),
    ['router info', 'kernel info', 'kernel error'],
  )
})
