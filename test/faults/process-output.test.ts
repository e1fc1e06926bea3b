// A process whose standard output is closed (SECURITY F15), full, or a pipe that nobody reads (F16): it goes on serving.

import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { compiledCode } from '../support/compiled-code.ts'
import { freePort } from '../support/free-port.ts'
import { runFile } from '../support/running-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const server = join(import.meta.dirname, '../support/faulty-server.ts')

/** A connection for each request: a kept one may be closed by the time it is used again. */
const own = { Connection: 'close' }

/** Starts the server with this file as its standard output and waits until it serves. */
async function startWritingTo(output: number, test: TestContext): Promise<{ url: string; child: ChildProcess }> {
  const port = String(await freePort())
  const child = spawn(process.execPath, [server], {
    env: { PATH: process.env['PATH'], APP_ENV: 'dev', APP_STORE: 'memory:', PORT: port, ...compiledCode },
    stdio: ['ignore', output, 'ignore'],
  })
  test.after(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await until(() => answers(url))
  return { url, child }
}

function answers(url: string): Promise<boolean> {
  return fetch(url, { headers: own, signal: AbortSignal.timeout(5000) }).then(
    ({ status }) => status === 200,
    () => false,
  )
}

/** Sends requests that are logged, and expects each to be answered. */
async function loadLogged(url: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 50) {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const response = await fetch(`${url}/reject?error&${'x'.repeat(500)}=${sent + index}`, {
          headers: { ...own, Accept: 'text/plain' },
          signal: AbortSignal.timeout(240_000),
        })
        await response.arrayBuffer()
        return response.status
      }),
    )
    assert.ok(statuses.every((status) => status === 500))
  }
}

async function endInOrder(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
}

describe('a process whose standard output goes away', () => {
  it('goes on serving when its reader has gone, as in "| head -1"', async () => {
    await using running = await runFile('test/support/faulty-server.ts')
    running.child.stdout?.destroy()
    running.child.stderr?.destroy()
    await loadLogged(running.url, 100)
    assert.equal((await fetch(running.url, { headers: own })).status, 200)
    assert.equal(await running.end(), 0)
  })

  it('goes on serving behind a shell pipe to "head -1"', async (test) => {
    const port = String(await freePort())
    const shell = spawn('/bin/sh', ['-c', '"$0" "$1" | head -1', process.execPath, server], {
      env: { PATH: process.env['PATH'], APP_ENV: 'dev', APP_STORE: 'memory:', PORT: port, ...compiledCode },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    test.after(() => void shell.kill('SIGKILL'))
    let output = ''
    shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const url = `http://127.0.0.1:${port}`
    await until(() => answers(url))
    await until(() => output.endsWith('\n'))
    await loadLogged(url, 100)
    const { pid } = (await (await fetch(`${url}/facts`, { headers: own })).json()) as { pid: number }
    test.after(() => kill(pid))
    process.kill(pid, 'SIGTERM')
    await until(async () => !(await answers(url)))
    assert.equal(output.split('\n').length, 2)
  })
})

/** The process may be gone already. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

describe('a process whose standard output takes nothing', () => {
  if (existsSync('/dev/full')) {
    it('goes on serving and ends in order when the disk of its log is full', async (test) => {
      const full = openSync('/dev/full', 'w')
      const { url, child } = await startWritingTo(full, test)
      closeSync(full)
      await loadLogged(url, 200)
      await endInOrder(child)
    })
  }

  it('goes on serving when its log is a pipe that nobody reads, and writes again when it is read', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'log')
    execFileSync('mkfifo', [path])
    // Open for both, so that opening waits for nobody and writing finds somebody who could read.
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    test.after(() => closeSync(pipe))
    const { url, child } = await startWritingTo(pipe, test)
    await loadLogged(url, 400)
    const buffer = Buffer.alloc(1 << 20)
    const read = (): number => {
      try {
        return readSync(pipe, buffer)
      } catch {
        return 0
      }
    }
    // It was full: a pipe of Linux holds 64 KB, less what its pages lose where one piece of writing ends.
    const held = read()
    assert.ok(held >= 50_000, `${held} bytes`)
    await until(() => read() === 0)
    await fetch(`${url}/reject?error&written-again`, { headers: own })
    let tail = ''
    await until(() => {
      tail += buffer.toString('latin1', 0, read())
      return tail.includes('written-again')
    })
    await endInOrder(child)
  })
})
