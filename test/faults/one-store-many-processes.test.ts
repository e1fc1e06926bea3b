import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openEngine } from '../../src/app/open-engine.ts'
import { cliFolder } from '../support/cli-run.ts'
import { drainHeld } from '../support/held-requests.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

interface Answer {
  readonly status: number
  /** Empty for a request that was not recorded. */
  readonly token: string
}

async function ask(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      response.resume()
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, token: response.headers['x-debug-token']?.toString() ?? '' }),
      )
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server had closed the idle connection just then: a client that keeps connections open asks again on another one.
      if (request.reusedSocket && error.code === 'ECONNRESET') resolve(ask(url))
      else reject(error)
    })
  })
}

/** Sends `count` requests, 16 at a time, and gives every answer. */
async function load(url: string, count: number): Promise<Answer[]> {
  const answers: Answer[] = []
  let sent = 0
  const send = async (): Promise<void> => {
    while (sent < count) {
      sent += 1
      answers.push(await ask(url))
    }
  }
  await Promise.all(Array.from({ length: 16 }, send))
  return answers
}

/** Token of a request that was recorded: after a flood the first one may be over the pace. */
async function recordedMiss(url: string): Promise<string> {
  let token = ''
  await until(async () => (token = (await ask(`${url}/nope`)).token) !== '')
  return token
}

describe('two processes of the application on one store', () => {
  it('take 2,200 requests each without an error, keep the caps, and open each other’s profiles', async (t) => {
    const store = `sqlite:${join(makeTemporaryDirectory(t), 'shared.db')}`
    await using one = await runFile('app/main.ts', { APP_STORE: store })
    await using other = await runFile('app/main.ts', { APP_STORE: store })
    const answers = await Promise.all([load(`${one.url}/api/products`, 2200), load(`${other.url}/api/products`, 2200)])
    for (const list of answers) {
      assert.equal(list.length, 2200)
      assert.ok(list.every(({ status }) => status === 200))
    }
    // Recording goes at a pace: a flood of 2,000 in each process, then some.
    const tokens = answers
      .flat()
      .map(({ token }) => token)
      .filter((token) => token !== '')
    assert.ok(tokens.length >= 4000, String(tokens.length))
    assert.equal(new Set(tokens).size, tokens.length)
    const token = await recordedMiss(one.url)
    await until(async () => (await ask(`${other.url}/_profiler/${token}`)).status === 200)

    const engine = await openEngine(store)
    await until(async () => (await engine.profiles.find({ token })).items.length === 1)
    const { count, maxCount, bytes, maxBytes } = await engine.profiles.stats()
    await engine.close()
    assert.ok(count > 0 && count <= maxCount, `${count} profiles of at most ${maxCount}`)
    assert.ok(bytes <= maxBytes)
  })

  it('both follow a lock that the command line sets, open again, and end what runs when it drains', async (t) => {
    const store = `sqlite:${join(makeTemporaryDirectory(t), 'shared.db')}`
    await using one = await runFile('app/main.ts', { APP_STORE: store })
    await using other = await runFile('app/main.ts', { APP_STORE: store })
    const lock = async (...args: string[]): Promise<void> => {
      const env = { PATH: process.env['PATH'], APP_STORE: store, ...compiledCode }
      await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'lock', ...args], { env })
    }
    const bothAnswer = async (status: number): Promise<boolean> =>
      (await Promise.all([ask(`${one.url}/`), ask(`${other.url}/`)])).every((answer) => answer.status === status)
    assert.ok(await bothAnswer(200))
    await lock('on', '--reason', 'stocktaking', '--retry-after', '120')
    await until(async () => bothAnswer(503))
    await lock('off')
    await until(async () => bothAnswer(200))

    await using folder = await cliFolder()
    const engine = await openEngine(store)
    const urls = [one, other].map(({ url }) => `${url}/basket`)
    await drainHeld(urls, engine.lock, async (args) => folder.spawn(args, { APP_STORE: store }))
    await engine.close()
  })
})

/** `npm run faults -- F12` kills more often. */
const rounds = 4

describe('an application that is killed during load', () => {
  it('opens its store again every time, with every profile that was read before', async (t) => {
    const store = `sqlite:${join(makeTemporaryDirectory(t), 'killed.db')}`
    const seen: string[] = []
    // Room for all: however long the rounds take, none of the first is pushed out by the load of the last.
    const env = { APP_STORE: store, APP_PROFILES_COUNT: '1000000', APP_PROFILES_MEGABYTES: '100000' }
    for (let round = 0; round < rounds; round += 1) {
      const running: RunningProcess = await runFile('app/main.ts', env)
      for (const token of seen)
        assert.equal((await ask(`${running.url}/_profiler/${token}`)).status, 200, `round ${round}`)
      const loading = load(`${running.url}/api/products`, 100_000).catch(() => undefined)
      const engine = await openEngine(store)
      const token = await recordedMiss(running.url)
      // What counts as read: it is in the store, seen by another process.
      await until(async () => (await engine.profiles.read(token)) !== undefined)
      await engine.close()
      seen.push(token)
      await running.end('SIGKILL')
      await loading
    }
    assert.equal(new Set(seen).size, rounds)
  })
})
