// The event stream of the live list, over a real socket.

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { openEngine } from '../../../../src/profiles/stores/open-engine.ts'
import type { ProfileSummary } from '../../../../src/observe/profile.ts'
import { makeProfile } from '../../../support/profiles.ts'
import { startApp, type RunningApp, type RunningAppOptions } from '../../../support/running-app.ts'
import { makeTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { until } from '../../../support/until.ts'

interface LiveEvent {
  readonly event: string
  readonly id: string
  readonly data: {
    readonly count: number
    readonly missed: number
    readonly profiles: readonly ProfileSummary[] | string
  }
}

/** A client of the stream that keeps what it hears. */
class Listener {
  readonly events: LiveEvent[] = []
  readonly response: Response
  hasEnded = false
  readonly #abort: AbortController

  static async open(url: string, query = '', headers: Record<string, string> = {}): Promise<Listener> {
    const abort = new AbortController()
    const response = await fetch(`${url}/_profiler/live.json?${query}`, { signal: abort.signal, headers })
    return new Listener(response, abort)
  }

  constructor(response: Response, abort: AbortController) {
    this.response = response
    this.#abort = abort
    void this.#listen().catch(() => undefined)
  }

  close(): void {
    this.#abort.abort()
  }

  get urls(): readonly string[] {
    return this.events.flatMap(({ data }) => (Array.isArray(data.profiles) ? data.profiles : [])).map(({ url }) => url)
  }

  async #listen(): Promise<void> {
    let text = ''
    for await (const part of (this.response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(
      new TextDecoderStream(),
    )) {
      text += part
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
        )
        text = text.slice(end + 2)
        const data = fields.get('data')
        if (data === undefined) continue
        this.events.push({ event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: JSON.parse(data) })
      }
    }
    this.hasEnded = true
  }
}

async function app(test: TestContext, options?: RunningAppOptions): Promise<RunningApp> {
  const running = await startApp(options)
  test.after(() => running[Symbol.asyncDispose]())
  return running
}

const newest = async ({ profiles }: RunningApp): Promise<string> => (await profiles.find({}, { limit: 1 })).newest

describe('livePage', () => {
  it('sends profiles as they are kept, and never of its own requests', async (test) => {
    const running = await app(test)
    const listener = await Listener.open(running.url, `from=${await newest(running)}`)
    assert.equal(listener.response.headers.get('content-type'), 'text/event-stream')
    assert.equal(listener.response.headers.get('cache-control'), 'no-store')
    await running.send({ target: '/products?page=1' })
    await until(() => listener.urls.length === 1)
    await running.send({ target: '/_profiler/' })
    await running.send({ target: '/products?page=2' })
    await until(() => listener.urls.length === 2)
    assert.deepEqual(
      listener.urls.map((url) => new URL(url).search),
      ['?page=1', '?page=2'],
    )
    listener.close()
  })

  it('keeps to the filter', async (test) => {
    const running = await app(test)
    const listener = await Listener.open(running.url, `status=404&from=${await newest(running)}`)
    await running.send({ target: '/products' })
    await running.send({ target: '/nowhere' })
    await until(() => listener.urls.length > 0)
    assert.deepEqual(
      listener.urls.map((url) => new URL(url).pathname),
      ['/nowhere'],
    )
    listener.close()
  })

  it('goes on where a client was that comes back', async (test) => {
    const running = await app(test)
    const first = await newest(running)
    await running.send({ target: '/products?missed' })
    await running.profiles.find({})
    const listener = await Listener.open(running.url, 'from=p999999', { 'last-event-id': first })
    await until(() => listener.urls.length === 1)
    assert.match(listener.urls[0] ?? '', /missed$/)
    assert.match(listener.events[0]?.id ?? '', /^p[0-9a-z]+$/)
    listener.close()
  })

  it('sends the newest of many at once and counts the others', async (test) => {
    const running = await app(test)
    const from = await newest(running)
    await Promise.all(Array.from({ length: 70 }, (_, index) => running.send({ target: `/products?n=${index}` })))
    await until(async () => (await running.profiles.find({}, { limit: 200 })).items.length === 70)
    const listener = await Listener.open(running.url, `from=${from}`)
    await until(() => listener.events.length > 0)
    assert.equal(listener.urls.length, 50)
    assert.deepEqual([listener.events[0]?.data.count, listener.events[0]?.data.missed], [50, 20])
    listener.close()
  })

  it('sees what other processes keep in the same file', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const store = `sqlite:${directory}/shared.db`
    const running = await app(test, { env: { APP_STORE: store } })
    const other = await openEngine(store)
    test.after(() => other.close())
    const listener = await Listener.open(running.url, `from=${await newest(running)}`)
    await other.profiles.write([makeProfile({ url: 'http://other.example/work' })])
    await until(() => listener.urls.length > 0)
    assert.deepEqual(listener.urls, ['http://other.example/work'])
    listener.close()
  })

  it('gives rows of the table to pages, escaped', async (test) => {
    const running = await app(test)
    const from = await newest(running)
    await running.send({ target: '/products?%3Cb%3E' })
    const response = await fetch(`${running.url}/_profiler/live?from=${from}`)
    const reader = response.body?.getReader()
    let text = ''
    await until(async () => {
      const { value } = (await reader?.read()) ?? {}
      text += new TextDecoder().decode(value)
      return text.includes('event: profiles')
    })
    assert.match(text, /"<tr class=\\"tone-success\\" id=\\"[0-9a-z]{10,16}\\">/)
    assert.doesNotMatch(text, /<b>/)
    await reader?.cancel()
  })

  it('refuses those who may not open profiles, before any stream is opened', async (test) => {
    const running = await app(test)
    for (const header of ['Origin: http://evil.example', 'Sec-Fetch-Site: cross-site', 'Host: evil.example']) {
      const { status } = await running.send({ target: '/_profiler/live', headers: [header] })
      assert.ok(status === 403 || status === 400, header)
    }
  })

  it('says what cannot be used', async (test) => {
    const running = await app(test)
    const { status, body } = await running.send({ target: '/_profiler/live?status=odd' })
    assert.equal(status, 400)
    assert.match(body, /odd.+ is not a status\. Use 404, 4xx, or 0 \(no response\)\./)
  })

  it('opens 16 streams and no more; a place is free again when a client leaves', async (test) => {
    const running = await app(test)
    const open = await Promise.all(Array.from({ length: 16 }, () => Listener.open(running.url)))
    assert.deepEqual([...new Set(open.map(({ response }) => response.status))], [200])
    assert.equal((await Listener.open(running.url)).response.status, 503)
    open.pop()?.close()
    await until(async () => {
      const one = await Listener.open(running.url)
      open.push(one)
      return one.response.status === 200
    })
    for (const one of open) one.close()
  })

  it('does not hold up a server that closes', async (test) => {
    const running = await app(test)
    const listener = await Listener.open(running.url)
    await running.app.close()
    await until(() => listener.hasEnded)
    assert.ok(!running.log.lines.some(({ message }) => message.includes('were cut')))
  })

  it('answers HEAD without a body', async (test) => {
    const running = await app(test)
    const { status, body } = await running.send({ method: 'HEAD', target: '/_profiler/live' })
    assert.deepEqual([status, body], [200, ''])
    // Its place is free again.
    const open = await Promise.all(Array.from({ length: 16 }, () => Listener.open(running.url)))
    assert.ok(open.every(({ response }) => response.status === 200))
    for (const one of open) one.close()
  })
})
