// Threat T179: a secret in a text that the application passes on. Every channel gets every form; what is left is looked for in JSON, on the pages,
// in Markdown and in the file of the store.

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { beginCacheAccess, beginQuery, sqlText } from '../../src/capture.ts'
import {
  accessRules,
  dump,
  exchangeKey,
  json,
  RouteCollection,
  stream,
  tag,
  text as textReply,
  type Exchange,
} from '../../src/index.ts'
import { builtInPanels } from '../../src/analysis/pages/panels.ts'
import { startAiServer } from '../support/ai-server.ts'
import { forAll } from '../support/for-all.ts'
import { noBodiesOfFetch } from '../support/node-features.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const secret = 'zqcanary0815zqcanary0815'
const secrets: readonly string[] = [
  `ghp_${secret}`,
  `postgres://ann:${secret}@db/shop`,
  `password=${secret}`,
  `{"password":"${secret}"}`,
  `Authorization: Bearer ${secret}`,
  `https://shop.example/?api_key=${secret}`,
  `<wsse:Password Type="a">${secret}</wsse:Password>`,
  `X-Api-Key: ${secret}`,
  `{password:${secret}}`,
  `ann:${secret}@tcp(db:3306)/shop`,
  `["password","${secret}"]`,
  `http://127.0.0.1/?q=password%3D'${secret}'`,
]

const session = exchangeKey<object>('session')
const user = exchangeKey<object>('user')
const own = exchangeKey<object>('own')

const query = (name: string) => ({ system: name, library: name, namespace: name, key: null, site: null })

/** Puts a text into one channel each. */
const channels: Readonly<Record<string, (text: string, exchange: Exchange) => unknown>> = {
  'a tag': (text) => tag(text),
  'the label of a dump': (text) => dump(1, text),
  'a dumped value': (text) => dump({ note: [text] }),
  'the channel of a log line': (text, { log }) => log.withChannel(text).info('said'),
  'the text of a log line': (text, { log }) => log.info(text),
  'the context of a log line': (text, { log }) => log.info('said', { text }),
  'a cache': (text) => beginCacheAccess({ cache: text, operation: 'get' })?.end('hit'),
  'the operation of a cache': (text) => beginCacheAccess({ cache: 'c', operation: text })?.end('hit'),
  'the key of a cache': (text) => beginCacheAccess({ cache: 'c', operation: 'get', key: text })?.end('hit'),
  'a failed cache': (text) => beginCacheAccess({ cache: 'c', operation: 'get' })?.fail(new Error(text)),
  'a database': (text) => beginQuery(() => ({ ...query(text), text: sqlText('SELECT 1', 'sql') }))?.end(),
  'a query': (text) => beginQuery(() => ({ ...query('x'), text: { text, shape: text } }))?.end(),
  'a session': (text, exchange) => exchange.set(session, { note: text, [text]: 1, flash: { [text]: [text] } }),
  'a user': (text, exchange) => exchange.set(user, { id: text, name: text, roles: [text] }),
  'a collector of the application': (text, exchange) => exchange.set(own, { deep: [{ text }], text }),
  'a decision': async (text) =>
    accessRules({ [text]: () => ({ vote: 'denied', reason: text }) }).decide({ name: text }, text, { text }),
  'the model that a response names': async (text, { request }) =>
    fetch(request.query.get('ai') ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: text, messages: [] }),
    }).then(async (answer) => answer.text()),
  'name, message and members of an error': (text) => {
    const fault: Error = Object.assign(new Error(text, { cause: text }), { code: text, note: text })
    throw Object.defineProperty(fault, 'name', { value: text })
  },
  'the class of an error': (text) => {
    const Fault = { [text]: class extends Error {} }[text]
    throw Fault === undefined ? new Error('none') : new Fault('oh')
  },
  'headers of the response': (text) => textReply('x', { headers: { 'x-note': text, location: text, link: text } }),
  'an event': (text) =>
    stream(Readable.from([`event: ${text}\nid: ${text}\ndata: ${text}\n\n`]), {
      headers: { 'content-type': 'text/event-stream' },
    }),
}

const routes = new RouteCollection()
routes.post('channel', '/channel/{name}', async (exchange) => {
  const { name } = exchange.request.params
  const said = await channels[decodeURIComponent(name)]?.(await exchange.request.body.text(), exchange)
  return typeof said === 'object' && said !== null && 'status' in said && 'headers' in said ? (said as never) : json({})
})

async function send({ url }: RunningApp, channel: string, text: string, ai: string): Promise<string> {
  const response = await fetch(`${url}/channel/${encodeURIComponent(channel)}?ai=${encodeURIComponent(ai)}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'text/plain' },
    redirect: 'manual',
  })
  await response.arrayBuffer()
  const token = response.headers.get('x-debug-token')
  assert.ok(token, channel)
  return token
}

function assertLacks(text: string, where: string): void {
  const place = text.toLowerCase().indexOf('zqcanary')
  assert.ok(place < 0, `${where}: …${text.slice(Math.max(0, place - 150), place + 40)}…`)
}

/** Every text of the file: what can be read in its bytes, and the bodies unpacked. */
function stored(directory: string): string {
  const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'latin1'))
  const database = new DatabaseSync(join(directory, 'store.db'), { readOnly: true })
  try {
    const bodies = database.prepare('SELECT data FROM body').all()
    return [...files, ...bodies.map(({ data }) => zstdDecompressSync(data as Uint8Array).toString())].join('\n')
  } finally {
    database.close()
  }
}

const collectors = [{ name: 'own', collect: (exchange: Exchange) => exchange.get(own) }]
const ai = await forAll(startAiServer())
const aiAddress = `${ai.url}/chat/completions`
const forms = ['.json', '.md', ...builtInPanels.map(({ name }) => `?panel=${name}`)]

async function read(app: RunningApp, path: string): Promise<string> {
  const { status, body } = await app.send({ target: `/_profiler/${path}` })
  assert.equal(status, 200, path)
  return body
}

/** Of each channel, the forms of a profile that show what comes through it. */
const shownBy: Record<string, readonly string[]> = {}
{
  await using app = await startApp({ routes, collectors, ai: { captureTexts: true } })
  for (const channel of Object.keys(channels)) {
    const token = await send(app, channel, 'zqplain', aiAddress)
    const pages = await Promise.all(forms.map((form) => read(app, `${token}${form}`)))
    const found = forms.filter((_, index) => pages[index]?.includes('zqplain'))
    // What is at the head of every panel is looked for on some.
    shownBy[channel] = found.length === forms.length ? forms.slice(0, 4) : found
  }
}

describe('a secret in a text of the application', async () => {
  const directory = makeTemporaryDirectory({ after })
  const env = { APP_STORE: `sqlite:${join(directory, 'store.db')}` }
  const app = await startApp({ routes, env, collectors, ai: { captureTexts: true } })

  for (const [turn, text] of secrets.entries()) {
    it(`T179: is kept by no channel and shown nowhere: ${text.replaceAll(secret, 'PW')}`, async () => {
      for (const [index, channel] of Object.keys(channels).entries()) {
        const token = await send(app, channel, text, aiAddress)
        // Pages and Markdown are drawn from what the JSON has: of each channel they are read for every third secret.
        const drawn = (turn + index) % 3 === 0 ? ['.md', '?panel=request', ...(shownBy[channel] ?? [])] : []
        for (const form of new Set(['.json', ...drawn]))
          assertLacks(await read(app, `${token}${form}`), `${channel}, ${form}`)
        const { childTokens = [] } = (await app.profiles.read(token)) ?? {}
        for (const child of childTokens) assertLacks(await read(app, `${child}.json`), `${channel}, sub-request`)
      }
      assertLacks(await read(app, '?limit=100'), 'the list')
    })
  }

  it('would be found: what is no secret is there', () => {
    const isKnown = (channel: string): boolean => noBodiesOfFetch === false || !channel.startsWith('the model')
    for (const channel of Object.keys(channels).filter(isKnown)) assert.ok(shownBy[channel]?.includes('.json'), channel)
  })

  it('is neither in the log nor in the files of the store', async () => {
    await app[Symbol.asyncDispose]()
    assertLacks(JSON.stringify(app.log.lines), 'the log')
    assertLacks(stored(directory), 'the store')
  })
})
