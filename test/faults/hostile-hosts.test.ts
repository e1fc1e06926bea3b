// A machine that does not give the application what it wants: a blocked event loop (SECURITY F33), and hundreds
// of connections that never ask for anything (F29, in little).

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RawConnection } from '../support/raw-connection.ts'
import { runFile } from '../support/running-process.ts'
import { until } from '../support/until.ts'

const server = 'test/support/faulty-server.ts'
const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

describe('an application whose controller stops the event loop', () => {
  it('answers what came meanwhile, stores its profile, and keeps idle connections open', async () => {
    await using running = await runFile(server)
    // The first fetch takes its time, and the server keeps idle connections for five seconds.
    await (await fetch(running.url)).text()
    const port = Number(new URL(running.url).port)
    const kept = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(port)))
    for (const client of kept) client.send(get)
    await Promise.all(kept.map((client) => client.receive('home')))
    const stalled = fetch(`${running.url}/stall?1000`)
    for (const client of kept.slice(0, 10)) client.send(get)
    assert.equal(await (await stalled).text(), 'stalled')
    for (const client of kept.slice(10)) client.send(get)
    await until(() => kept.every((client) => client.answerCount === 2))
    assert.ok(kept.every((client) => !client.isClosed))
    const token = (await stalled).headers.get('x-debug-token')
    assert.equal((await fetch(`${running.url}/_profiler/${token}`)).status, 200)
    for (const client of kept) client[Symbol.dispose]()
  })

  it('answers what came meanwhile also when that took longer than idle connections are kept, and closes the others', async () => {
    await using running = await runFile(server)
    const port = Number(new URL(running.url).port)
    const [stalling, ...kept] = await Promise.all(Array.from({ length: 11 }, () => RawConnection.open(port)))
    assert.ok(stalling)
    for (const client of [stalling, ...kept]) client.send(get)
    await Promise.all([stalling, ...kept].map((client) => client.receive('home')))
    stalling.send('GET /stall?7000 HTTP/1.1\r\nHost: h\r\n\r\n')
    await until(() => running.output.includes('The event loop is blocked'))
    for (const client of kept.slice(0, 5)) client.send(get)
    await stalling.receive('stalled')
    await until(() => kept.slice(0, 5).every((client) => client.answerCount === 2))
    await until(() => kept.slice(5).every((client) => client.isClosed))
    for (const client of kept) client[Symbol.dispose]()
    stalling[Symbol.dispose]()
  })
})

describe('an application with 500 connections that ask for nothing', () => {
  it('serves everybody else, and its own connections when they ask', async () => {
    await using running = await runFile(server)
    const port = Number(new URL(running.url).port)
    const idle = await Promise.all(Array.from({ length: 500 }, () => RawConnection.open(port)))
    // Few rounds: the server waits ten seconds for a first request, on busy machines too.
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(running.url)))
      assert.ok(answers.every(({ status }) => status === 200))
      await Promise.all(answers.map((answer) => answer.text()))
    }
    for (const client of idle.slice(0, 50)) client.send(get)
    await Promise.all(idle.slice(0, 50).map((client) => client.receive('home')))
    for (const client of idle) client[Symbol.dispose]()
  })
})
