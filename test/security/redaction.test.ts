// SECURITY section 4 as a property: a secret in any of the listed places is found in no profile, page of the profiler, store
// file or process log, and in no error page beyond the address that the client itself sent (section 6.2).

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { fc } from '../support/fast-check.ts'
import { carelessRoutes } from '../support/careless-app.ts'
import { request } from '../support/raw-client.ts'
import { startApp } from '../support/running-app.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { secretRequest, type SecretRequest } from '../support/secrets.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const panels = ['request', 'exception', 'logger', 'time', 'router', 'events']
const canary = 'zq-secret-of-the-environment'
const environment = {
  APP_SECRET: canary,
  DATABASE_URL: `postgres://shop:${canary}@db/shop`,
  AWS_SECRET_ACCESS_KEY: canary,
  SESSION_KEY: canary,
}

/** Sends the request and looks at all that can be read of it over HTTP. */
async function assertHidden(port: number, { what, request: sent, secret, verbatim }: SecretRequest): Promise<void> {
  const answer = await request(port, sent)
  assert.notEqual(answer.status, 400, `${what}: ${answer.body.slice(0, 300)}`)
  let page = answer.body
  for (const part of verbatim) page = page.replaceAll(part, '')
  assertLacks(page, secret, `${what}: the answer`)
  const token = answer.header('x-debug-token')
  if (token === undefined) return
  const profile = await request(port, { target: `/_profiler/${token}`, headers: ['Accept: application/json'] })
  assert.equal(profile.status, 200, what)
  assertLacks(profile.body, secret, `${what}: the profile`)
  const { childTokens } = JSON.parse(profile.body) as { readonly childTokens: readonly string[] }
  for (const child of childTokens) {
    const { body } = await request(port, { target: `/_profiler/${child}`, headers: ['Accept: application/json'] })
    assertLacks(body, secret, `${what}: the profile of the sub-request`)
  }
  // A panel draws the profile and nothing else; one of them a request is enough to see that.
  const panel = panels[secret.charCodeAt(5) % panels.length]
  const { body } = await request(port, { target: `/_profiler/${token}?panel=${panel}` })
  assertLacks(body, secret, `${what}: the panel ${panel}`)
}

function assertLacks(text: string, secret: string, where: string): void {
  const place = text.toLowerCase().indexOf(secret)
  assert.ok(place < 0, `${where}: …${text.slice(Math.max(0, place - 120), place + 40)}…`)
  assert.ok(!text.includes(canary), `${where}: the environment`)
}

/** Runs the property and gives the secrets that were sent. */
async function secretsSent(port: number, numRuns: number): Promise<readonly string[]> {
  const secrets: string[] = []
  await fc.assert(
    fc.asyncProperty(secretRequest, async (made) => {
      secrets.push(made.secret)
      await assertHidden(port, made)
    }),
    { numRuns },
  )
  return secrets
}

/** Everything that a process writes, as it comes. */
function outputOf({ child }: RunningProcess): { text: string } {
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output.text += chunk.toString()))
  return output
}

const portOf = ({ url }: RunningProcess): number => Number(new URL(url).port)

describe('redaction', () => {
  it('hides every secret from profiles in memory, pages and a log sink', async () => {
    await using app = await startApp({ routes: carelessRoutes() })
    const secrets = await secretsSent(app.port, 80)
    const lines = JSON.stringify(app.log.lines)
    for (const secret of secrets) assertLacks(lines, secret, 'a log line')
    const { body } = await app.send({ target: '/_profiler/?limit=100' })
    for (const secret of secrets) assertLacks(body, secret, 'the list of profiles')
  })

  it('hides every secret from the store file and the log of a process', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const path = join(directory, 'store.db')
    await using running = await runFile('test/support/careless-app.ts', { ...environment, APP_STORE: `sqlite:${path}` })
    const output = outputOf(running)
    const secrets = await secretsSent(portOf(running), 100)
    assert.equal(await running.end(), 0)

    assert.ok(output.text.split('\n').length > 100)
    const stored = storedText(path)
    assert.ok(stored.length > 100_000)
    const bytes = readdirSync(directory)
      .map((file) => readFileSync(join(directory, file), 'latin1'))
      .join('')
    for (const secret of secrets) {
      assertLacks(output.text, secret, 'the process log')
      assertLacks(stored, secret, 'the store')
      assertLacks(bytes, secret, 'the bytes of the store file')
    }
  })

  it('hides every secret from the pages and the log of a process in production', async () => {
    await using running = await runFile('test/support/careless-app.ts', { ...environment, APP_ENV: 'prod' })
    const output = outputOf(running)
    const secrets = await secretsSent(portOf(running), 60)
    assert.equal(await running.end(), 0)
    assert.ok(output.text.length > 1000)
    for (const secret of secrets) assertLacks(output.text, secret, 'the process log')
  })

  it('would find them: what is not a secret is there', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    await using running = await runFile('test/support/careless-app.ts', { APP_STORE: `sqlite:${path}` })
    const output = outputOf(running)
    await request(portOf(running), {
      method: 'POST',
      target: '/order?harmless=zqplain1',
      headers: ['Content-Type: application/json', 'User-Agent: zqplain2'],
      body: '{"place":"log","name":"note","text":"zqplain3"}',
    })
    assert.equal(await running.end(), 0)
    const stored = storedText(path)
    for (const plain of ['zqplain1', 'zqplain2', 'zqplain3']) assert.ok(stored.includes(plain), plain)
    assert.ok(output.text.includes('zqplain3'))
  })
})

/** Every text of the file: all columns of the summaries, all bodies unpacked. */
function storedText(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const bodies = database.prepare('SELECT data FROM body').all()
    const unpacked = bodies.map(({ data }) => zstdDecompressSync(data as Uint8Array).toString())
    return [JSON.stringify(database.prepare('SELECT * FROM profile').all()), ...unpacked].join('\n')
  } finally {
    database.close()
  }
}
