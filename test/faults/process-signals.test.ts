// How a process of the application ends: by signals under load (SECURITY F13), with clients that never finish (F14), and
// when it cannot start at all (F41).

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openEngine } from '../../src/app/open-engine.ts'
import { freePort } from '../support/free-port.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const server = 'test/support/faulty-server.ts'

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`
}

function open(count: number, { url }: RunningProcess): Promise<RawConnection[]> {
  return Promise.all(Array.from({ length: count }, () => RawConnection.open(Number(new URL(url).port))))
}

/** Waits until so many requests of `/until-signal` are in flight. */
async function untilWaiting(count: number, { url }: RunningProcess): Promise<void> {
  await until(async () => {
    const facts: unknown = await (await fetch(`${url}/facts`, { headers: { Connection: 'close' } })).json()
    return typeof facts === 'object' && facts !== null && 'waiting' in facts && facts.waiting === count
  })
}

/** Lets the requests of `/until-signal` be answered. */
function release({ child }: RunningProcess): void {
  child.kill('SIGUSR2')
}

/** Collects what the process writes from now on. */
function readOutput({ child }: RunningProcess): () => string {
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return () => output
}

describe('a process that is told to end by SIGTERM', () => {
  it('answers 200 requests in flight, drops idle connections at once, and stores every profile that it has time for', async (test) => {
    const store = `sqlite:${join(makeTemporaryDirectory(test), 'drained.db')}`
    await using running = await runFile(server, { APP_STORE: store, DRAIN_MS: '60000' })
    const output = readOutput(running)
    const [busy, idle, pipelined] = await Promise.all([open(200, running), open(50, running), open(10, running)])
    for (const client of idle) client.send(get('/'))
    await Promise.all(idle.map((client) => client.receive('home')))
    for (const client of busy) client.send(get('/until-signal'))
    // The answer to the first waits, and those to the nine behind it wait for it.
    for (const client of pipelined) client.send(get('/until-signal') + get('/').repeat(9))
    await untilWaiting(210, running)

    const ended = running.end()
    await until(() => idle.every((client) => client.isClosed))
    assert.ok(busy.every((client) => client.received === ''))
    release(running)
    assert.equal(await ended, 0)

    const tokens: string[] = []
    for (const client of busy) {
      const answer = await client.end()
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
      assert.match(answer, /\r\nConnection: close\r\n/i)
      assert.match(answer, /\r\n\r\nreleased$/)
      tokens.push(/X-Debug-Token: (\w+)/i.exec(answer)?.[1] ?? '')
    }
    for (const client of pipelined) {
      const answer = await client.end()
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
      const bodies = answer.split(/HTTP\/1\.1 \d{3} /).slice(1)
      for (const body of bodies) assert.match(body, /\r\n\r\n(?:released|home)$/)
    }
    const engine = await openEngine(store)
    test.after(() => engine.close())
    const missing: string[] = []
    for (const token of tokens) if ((await engine.profiles.read(token)) === undefined) missing.push(token)
    // A starved machine may not write all of them within the budget of the end: it counts the others.
    const lost = /"lost":(\d+)/.exec(output())?.[1] ?? '0'
    assert.ok(missing.length <= Number(lost), `${missing.join()} of ${lost} that were lost`)
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends at once with another code than 0 when ${signal} follows`, async () => {
      await using running = await runFile(server, { DRAIN_MS: '60000' })
      const output = readOutput(running)
      const [client] = (await open(1, running)) as [RawConnection]
      client.send(get('/stuck'))
      await untilWaiting(1, running)
      running.child.kill('SIGTERM')
      const port = Number(new URL(running.url).port)
      await until(async () => (await isRefused(port)) && !client.isClosed)
      assert.equal(await running.end(signal), 130)
      await client.end()
      assert.doesNotMatch(output(), /"fatal"/)
    })
  }

  it('drains when its terminal closes (SIGHUP), however often that is said', async () => {
    await using running = await runFile(server, { DRAIN_MS: '60000' })
    const [client] = (await open(1, running)) as [RawConnection]
    client.send(get('/until-signal'))
    await untilWaiting(1, running)
    running.child.kill('SIGHUP')
    const port = Number(new URL(running.url).port)
    await until(() => isRefused(port))
    running.child.kill('SIGHUP')
    const ended = running.end('SIGHUP')
    release(running)
    assert.equal(await ended, 0)
    assert.match(await client.end(), /released$/)
  })

  it('ends within its deadline though clients never finish, and logs how many it cut', async () => {
    await using running = await runFile(server, { DRAIN_MS: '300' })
    const output = readOutput(running)
    const [drip, deaf, endless] = (await open(3, running)) as [RawConnection, RawConnection, RawConnection]
    drip.send('GET / HTTP/1.1\r\nHost: h\r\nX-Drip')
    const dripping = setInterval(() => drip.socket.write('p'), 50)
    deaf.socket.pause()
    deaf.send(get('/endless'))
    endless.send(get('/endless'))
    await endless.receive('xxxx')
    assert.equal(await running.end(), 0)
    clearInterval(dripping)
    deaf.socket.resume()
    await Promise.all([drip.end(), deaf.end(), endless.end()])
    await until(() => output().includes('Closed 3 connections that had not ended within the deadline.'))
  })
})

describe('a process with a response that never ends', () => {
  it('waits less long for it in development, where a restart waits too', async () => {
    await using developed = await runFile(server, { APP_ENV: 'dev' })
    await using production = await runFile(server, { APP_ENV: 'prod' })
    const clients = await Promise.all([developed, production].map(async (one) => (await open(1, one))[0]))
    for (const client of clients) {
      client?.send(get('/endless'))
      await client?.receive('xxxx')
    }
    const ended = production.end()
    assert.equal(await developed.end(), 0)
    assert.equal(production.child.exitCode, null)
    for (const client of clients) client?.socket.destroy()
    assert.equal(await ended, 0)
  })
})

function isRefused(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => false,
    () => true,
  )
}

describe('a process whose port is in use', () => {
  it('says so in one line and exits with 1, each time, and starts when the port is free', async (test) => {
    const env = { APP_STORE: `sqlite:${join(makeTemporaryDirectory(test), 'restarted.db')}` }
    const port = String(await freePort())
    const other = createServer().listen(Number(port), '127.0.0.1')
    await once(other, 'listening')
    for (let start = 0; start < 2; start += 1) {
      await assert.rejects(runFile(server, { ...env, PORT: port }), (error: Error) => {
        assert.match(error.message, new RegExp(`Cannot start: 127\\.0\\.0\\.1:${port} is in use by another process`))
        assert.doesNotMatch(error.message, /\n\s+at /)
        return true
      })
    }
    other.close()
    await once(other, 'close')
    await using running = await runFile(server, { ...env, PORT: port })
    assert.equal((await fetch(running.url)).status, 200)
  })
})
