// What becomes of a process when code of the application throws where nobody catches (SECURITY F17, R11).

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RawConnection } from '../support/raw-connection.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { until } from '../support/until.ts'

const server = 'test/support/faulty-server.ts'

const kinds = ['error', 'null', 'undefined', 'string', 'proxy'] as const

interface Crash {
  readonly exitCode: number | null
  readonly fatal: readonly string[]
}

/** Waits for the end of the process and gives its code and its fatal log lines. */
async function untilCrashed({ child }: RunningProcess): Promise<Crash> {
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { exitCode, fatal: output.split('\n').filter((line) => line.includes('"level":"fatal"')) }
}

function portOf({ url }: RunningProcess): number {
  return Number(new URL(url).port)
}

describe('a controller that rejects', () => {
  it('is answered once with 500, whatever it rejects with, and the connection goes on', async () => {
    await using running = await runFile(server)
    using client = await RawConnection.open(portOf(running))
    for (const [index, kind] of kinds.entries()) {
      client.send(`GET /reject?${kind} HTTP/1.1\r\nHost: h\r\nAccept: text/plain\r\n\r\n`)
      await until(() => client.answerCount === index + 1)
    }
    client.send('GET /facts HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
    const answers = (await client.end()).split('HTTP/1.1 ').slice(1)
    assert.deepEqual(
      answers.map((answer) => answer.slice(0, 3)),
      [...kinds.map(() => '500'), '200'],
    )
    assert.equal(running.child.exitCode, null)
  })
})

describe('a controller that overflows the stack', () => {
  it('is answered with 500 every time, and the process goes on (SECURITY F24)', async () => {
    await using running = await runFile(server)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const response = await fetch(`${running.url}/overflow?0`)
      assert.equal(response.status, 500)
      assert.match(await response.text(), /Maximum call stack size exceeded/)
    }
    assert.equal((await fetch(`${running.url}/facts`)).status, 200)
  })
})

describe('a process in which nobody catches', () => {
  it('reports ten of twenty thousand rejections at once, counts the rest, and ends', async () => {
    await using running = await runFile(server)
    const crashed = untilCrashed(running)
    assert.equal((await fetch(`${running.url}/storm`)).status, 200)
    const { exitCode, fatal } = await crashed
    assert.equal(exitCode, 1)
    assert.equal(fatal.length, 10)
    assert.match(running.output, /19990 more errors were not handled by anything\./)
  })

  it('logs each of several rejections, whatever they carry, and still lets requests in flight end', async () => {
    await using running = await runFile(server, { APP_ENV: 'test', DRAIN_MS: '60000' })
    const crashed = untilCrashed(running)
    using client = await RawConnection.open(portOf(running))
    client.send('GET /until-signal HTTP/1.1\r\nHost: h\r\n\r\n')
    await until(async () => (await (await fetch(`${running.url}/facts`)).text()).includes('"waiting":1'))
    assert.equal((await fetch(`${running.url}/orphans`)).status, 200)
    assert.match(await client.end(), /^HTTP\/1\.1 200 OK\r\n[^]*released$/)
    const { exitCode, fatal } = await crashed
    assert.equal(exitCode, 1)
    assert.equal(fatal.length, kinds.length)
    assert.match(fatal.join(), /nobody awaits me/)
  })
})
