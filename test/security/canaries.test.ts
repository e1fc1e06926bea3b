// Secrets that an application handles in the ordinary way, each of them told apart: found in no answer, panel, export, byte of
// the store file or its log, line of the process log. The places that a request alone can fill are in redaction.test.ts.

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { builtInPanels } from '../../src/analysis/pages/panels.ts'
import { canaries } from '../support/canary-app.ts'
import { request, type RawRequest } from '../support/raw-client.ts'
import { startApp } from '../support/running-app.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const upload = [
  `--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${canaries.formField}\r\n`,
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${canaries.fileName}.txt"\r\n`,
  `Content-Type: text/plain\r\n\r\n${canaries.fileContent}\r\n--b--\r\n`,
].join('')

const posted = (target: string, body: string, type = 'application/json'): RawRequest => ({
  method: 'POST',
  target,
  headers: [`Content-Type: ${type}`],
  body,
})

const requests: readonly RawRequest[] = [
  posted(
    '/sql',
    JSON.stringify({ parameter: canaries.sqlParameter, literal: canaries.sqlLiteral, failure: canaries.sqlFailure }),
  ),
  posted('/upload', upload, 'multipart/form-data; boundary=b'),
  posted('/upload-as-form', upload, 'multipart/form-data; boundary=b'),
  posted(
    '/fail',
    JSON.stringify({
      property: canaries.errorProperty,
      cause: canaries.errorCause,
      context: canaries.logContext,
      local: canaries.localVariable,
    }),
  ),
]

/** The name of a variable is shown beside a profile of the running process; it is captured nowhere. */
const variableName = 'ZQ_ONLY_A_NAME'

const environment = {
  APP_SECRET: canaries.environment,
  DATABASE_URL: `postgres://u:${canaries.environment}@h/`,
  [variableName]: canaries.environment,
}

const panels = builtInPanels.map(({ name }) => name)

function assertLacks(text: string, where: string): void {
  for (const [place, canary] of Object.entries(canaries)) {
    const found = text.indexOf(canary)
    assert.ok(found < 0, `${place} in ${where}: …${text.slice(Math.max(0, found - 100), found + 60)}…`)
  }
}

/** Sends the requests, and reads all that the profiler shows of them, sub-requests too. */
async function readEverything(port: number): Promise<readonly (readonly [where: string, text: string])[]> {
  const seen: (readonly [string, string])[] = []
  for (const sent of requests) {
    for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/plain']) {
      const answer = await request(port, { ...sent, headers: [...(sent.headers ?? []), `Accept: ${accept}`] })
      seen.push([`the answer of ${sent.target} as ${accept}`, answer.body])
      const token = answer.header('x-debug-token')
      if (token === undefined || accept !== 'text/html') continue
      for (const own of await withChildren(port, token)) {
        for (const path of [`${own}.json`, own, ...panels.map((panel) => `${own}?panel=${panel}`)]) {
          const { status, body } = await request(port, { target: `/_profiler/${path}` })
          assert.equal(status, 200, path)
          seen.push([`/_profiler/${path} of ${sent.target}`, body])
        }
      }
    }
  }
  seen.push(['the list', (await request(port, { target: '/_profiler/' })).body])
  return seen
}

async function withChildren(port: number, token: string): Promise<readonly string[]> {
  const { body } = await request(port, { target: `/_profiler/${token}`, headers: ['Accept: application/json'] })
  return [token, ...(JSON.parse(body) as { readonly childTokens: readonly string[] }).childTokens]
}

function outputOf({ child }: RunningProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return () => output
}

function bytesOf(directory: string): string {
  return readdirSync(directory)
    .map((file) => readFileSync(join(directory, file), 'latin1'))
    .join('')
}

function bodiesOf(path: string): readonly string[] {
  const database = new DatabaseSync(path)
  try {
    const rows = database.prepare('SELECT data FROM body').all()
    return rows.map(({ data }) => zstdDecompressSync(data as Uint8Array).toString())
  } finally {
    database.close()
  }
}

describe('secrets that an application handles', () => {
  it('are on no page, in no profile, not in the store file with its log, and not in the process log', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const path = join(directory, 'store.db')
    await using running = await runFile('test/support/canary-app.ts', { ...environment, APP_STORE: `sqlite:${path}` })
    const output = outputOf(running)
    const port = Number(new URL(running.url).port)
    const seen = await readEverything(port)
    assert.ok(seen.length > 60)
    for (const [where, text] of seen) assertLacks(text, where)
    assert.ok(seen.some(([, text]) => text.includes('INSERT OR REPLACE INTO person VALUES (?, ?)')))

    const { header } = await request(port, { target: `/reset/${canaries.routeParameter}/${canaries.routeParameter}` })
    // Of a parameter that is named like a secret the value is masked wherever parameters are listed; the path is kept as sent.
    const { body } = await request(port, { target: `/_profiler/${header('x-debug-token')}.json` })
    const addressless = body.replaceAll(/\/reset\/[^"\s]*/g, '')
    assertLacks(addressless, 'the profile beside the path')
    assert.match(body, /"token",\s*"\*{6}"/)

    await until(() => bytesOf(directory).length > 100_000)
    await running.end('SIGKILL')
    const bytes = bytesOf(directory)
    assert.ok(readdirSync(directory).some((file) => file.endsWith('-wal')))
    const listed = output().replaceAll(/\/reset\/[^"\s]*/g, '')
    assert.match(listed, /Payment of ann failed/)
    assertLacks(listed, 'the process log')
    assertLacks(bytes.replaceAll(/\/reset\/[\w-]*\/[\w-]*/g, ''), 'the bytes of the store')
    for (const stored of bodiesOf(path)) {
      assertLacks(stored.replaceAll(/\/reset\/[^"\s]*/g, ''), 'a stored profile')
      assert.ok(!stored.includes(variableName))
    }
  })

  it('are in no answer and no log line in production', async () => {
    await using running = await runFile('test/support/canary-app.ts', { ...environment, APP_ENV: 'prod' })
    const output = outputOf(running)
    const port = Number(new URL(running.url).port)
    for (const sent of requests) assertLacks((await request(port, sent)).body, `the answer of ${sent.target}`)
    assert.equal(await running.end(), 0)
    assert.match(output(), /Payment of ann failed/)
    assertLacks(output(), 'the process log')
  })
})

it('createApp: allowedPeers: refuses what is not an address or network', async () => {
  await assert.rejects(startApp({ allowedPeers: ['everybody'] }), /"everybody" is not an address or network; use/)
})
