import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** A file that runs as a process of its own, once it has said where it listens. */
interface RunningFile {
  readonly url: string
  /** Sends the signal and gives the exit code. */
  end(): Promise<number | null>
  [Symbol.asyncDispose](): Promise<void>
}

async function runFile(path: string, env: Readonly<Record<string, string>> = {}): Promise<RunningFile> {
  const child = spawn(process.execPath, [path], {
    cwd: root,
    env: { PATH: process.env['PATH'], APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit') as Promise<[number | null]>
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output)?.[0]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    exit.then(
      () => reject(new Error(`${path} ended: ${output}`)),
      () => undefined,
    )
  })
  const end = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    const [code] = await exit
    return code
  }
  return {
    url,
    end,
    async [Symbol.asyncDispose]() {
      await end()
    },
  }
}

describe('app/main.ts', () => {
  it('serves the shop, and ends in order on a signal', async () => {
    await using shop = await runFile('app/main.ts')
    const response = await fetch(`${shop.url}/products?currency=USD`)
    assert.equal(response.status, 200)
    assert.match(await response.text(), /\$73\.76/)
    assert.equal(await shop.end(), 0)
  })

  it('serves its own maintenance page while it is locked', async () => {
    await using shop = await runFile('app/main.ts', { APP_LOCK: '1' })
    const response = await fetch(`${shop.url}/products`)
    assert.equal(response.status, 503)
    assert.equal(await response.text(), readFileSync(join(root, 'app/public/maintenance.html'), 'utf8'))
  })
})

describe('examples/minimal.ts', () => {
  it('answers as the README says', async () => {
    await using example = await runFile('examples/minimal.ts')
    assert.match(await (await fetch(`${example.url}/greet/A%3Cb%3E`)).text(), /<h1>Hello, A&lt;b&gt;!<\/h1>/)
    assert.deepEqual(await (await fetch(`${example.url}/api/square/12`)).json(), { square: 144 })
    assert.equal((await fetch(`${example.url}/api/square/twelve`)).status, 404)
  })
})

describe('examples/custom-listener.ts', () => {
  it('times every answer and answers early for robots', async () => {
    await using example = await runFile('examples/custom-listener.ts')
    const quick = await fetch(example.url)
    assert.match(quick.headers.get('server-timing') ?? '', /^app;dur=\d+\.\d$/)
    const robots = await fetch(`${example.url}/robots.txt`)
    assert.equal(await robots.text(), 'User-agent: *\nDisallow: /\n')
  })
})
