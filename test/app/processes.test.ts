import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runFile } from '../support/running-process.ts'

const root = join(import.meta.dirname, '../..')

describe('app/main.ts', () => {
  it('serves the shop, and ends in order on a signal', async () => {
    await using shop = await runFile('app/main.ts')
    const response = await fetch(`${shop.url}/products?currency=USD`)
    assert.equal(response.status, 200)
    assert.match(await response.text(), /\$73\.76/)
    assert.equal(await shop.end(), 0)
  })

  it('ends in production without a request lost on a busy connection', async () => {
    await using shop = await runFile('app/main.ts', { APP_ENV: 'prod', APP_STORE: 'memory:' })
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    const ask = (): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const request = get(`${shop.url}/api/products`, { agent }, (response) => {
          response.resume().on('end', () => resolve(response.headers.connection))
        })
        request.on('error', reject)
      })
    let lost = 0
    let ends = 0
    const client = async (): Promise<void> => {
      for (;;) {
        const connection = await ask().catch(() => undefined)
        if (connection === undefined) lost += 1
        if (connection !== 'keep-alive') break
      }
      ends += 1
    }
    const clients = Promise.all(Array.from({ length: 16 }, client))
    await ask()
    const code = shop.end()
    await clients
    assert.deepEqual({ lost, ends, code: await code }, { lost: 0, ends: 16, code: 0 })
    agent.destroy()
  })

  it('serves its own maintenance page while it is locked', async () => {
    await using shop = await runFile('app/main.ts', { APP_LOCK: '1' })
    const response = await fetch(`${shop.url}/products`)
    assert.equal(response.status, 503)
    assert.equal(await response.text(), readFileSync(join(root, 'app/public/maintenance.html'), 'utf8'))
  })
})

it('examples/minimal.ts: answers as the README says', async () => {
  await using example = await runFile('examples/minimal.ts')
  assert.match(await (await fetch(`${example.url}/greet/A%3Cb%3E`)).text(), /<h1>Hello, A&lt;b&gt;!<\/h1>/)
  assert.deepEqual(await (await fetch(`${example.url}/api/square/12`)).json(), { square: 144 })
  assert.equal((await fetch(`${example.url}/api/square/twelve`)).status, 404)
})

it('examples/custom-listener.ts: times every answer and answers early for robots', async () => {
  await using example = await runFile('examples/custom-listener.ts')
  const quick = await fetch(example.url)
  assert.match(quick.headers.get('server-timing') ?? '', /^app;dur=\d+\.\d\b/)
  const robots = await fetch(`${example.url}/robots.txt`)
  assert.equal(await robots.text(), 'User-agent: *\nDisallow: /\n')
})
