// What a request ran, asked for by its field: twice, the functions first and their lines then.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RanCall, RanCode } from '../../../src/observe/ran-code.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import { html, json, RouteCollection, type SafeHtml } from '../../../src/index.ts'
import type { TimeData } from '../../../src/observe/collectors/time.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { pageText } from '../../support/page-text.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { hot, load, pay, seen, total, touchy } from './cart.ts'

/** From Node 26 on V8 does not stop where a loop finds no further element. */
const asksAtEnd = Number.parseInt(process.versions.node, 10) < 26
const asking = { 'x-fanlight-profile': 'code' }

async function codeOf(app: RunningApp): Promise<RanCode> {
  const { data } = await profileOf(app, asking)
  assert.ok(data['code'] !== undefined, JSON.stringify(data['notes']))
  return data['code'] as RanCode
}

async function linesOf(app: RunningApp): Promise<RanCode> {
  assert.equal((await codeOf(app)).state, 'functions')
  const code = await codeOf(app)
  assert.equal(code.state, 'lines')
  return code
}

function callOf({ calls, functions }: RanCode, name: string): RanCall {
  const call = calls.find(({ function: index }) => functions[index]?.name === name)
  assert.ok(call !== undefined, name)
  return call
}

function showLines(): SafeHtml {
  return html`<section>
    <p>${total([{ price: 2 }], false)}</p>
  </section> `
}

const showSum = () =>
  json({
    sum: total(
      Array.from({ length: 12 }, (_, index) => ({ price: index })),
      false,
    ),
  })

describe('the code that a request ran', () => {
  it('has the calls, their lines, and the values that each line gave', async () => {
    await using app = await startWorking(async () => total(await load('7', 'hunter2'), false))
    const code = await linesOf(app)
    const { end, lines, path, times, cutAt } = callOf(code, 'total')
    const { line: head = 0, source = [], places = [] } = code.functions.find(({ name }) => name === 'total') ?? {}
    const said = lines.map(({ line, count, values }) => [
      source[line - head]?.trim(),
      count,
      values.map(([name, texts]) => [name, ...texts].join(' ')),
    ])
    assert.equal(end, 'returned')
    // As it was written, with its types.
    assert.match(source[0] ?? '', /items: readonly Item\[\], vip: boolean\): number/)
    const steps = path.map((index) => (places[index] ?? 0) - head)
    assert.deepEqual(steps, [1, 2, 2, 3, 6, 2, 3, 4, ...(asksAtEnd ? [2] : []), 9, 12])
    assert.equal(cutAt, null)
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    )
    assert.deepEqual(said, [
      [source[0], 0, ['items [{ price: 10 }, { price: 5, sale: true }]', 'vip false']],
      ['let sum = 0', 1, ['sum 0']],
      ['for (const item of items) {', asksAtEnd ? 3 : 2, ['item { price: 10 } { price: 5, sale: true }']],
      ['if (item.sale === true) {', 2, []],
      ['sum += item.price / 2', 1, ['sum 12.5']],
      ['sum += item.price', 1, ['sum 10']],
      ['if (vip) {', 1, []],
      ['return sum', 1, []],
    ])
    // The value is masked by its name.
    assert.doesNotMatch(JSON.stringify(code.calls), /hunter2/)
    assert.match(JSON.stringify(callOf(code, 'load')), /\["password",\["\*{6}"\],\[-1\]\]/)
  })

  it('notes nothing of another request that runs the same lines meanwhile', async () => {
    let number = 0
    await using app = await startWorking(async () => {
      number += 1
      return total(await load(String(number), 'x'), number % 2 === 0)
    })
    await codeOf(app)
    const [code] = await Promise.all([codeOf(app), ...Array.from({ length: 20 }, async () => app.app.inject({}))])
    assert.equal(code.calls.filter(({ function: index }) => code.functions[index]?.name === 'total').length, 1)
  })

  it('runs no code of the application to read a value, stops at nothing, and leaves nothing behind', async () => {
    await using app = await startWorking(() => touchy())
    const names = Object.getOwnPropertyNames(globalThis).length
    assert.equal(callOf(await linesOf(app), 'touchy').end, 'returned')
    assert.deepEqual(seen, [])
    assert.equal(Object.getOwnPropertyNames(globalThis).length, names)
  })

  it('stops noting a loop that does not end soon', async () => {
    await using app = await startWorking(() => hot(200_000))
    const { lines, cutAt } = callOf(await linesOf(app), 'hot')
    assert.ok(
      lines.every(({ count }) => count <= 500),
      JSON.stringify(lines),
    )
    assert.ok((cutAt ?? Infinity) <= 1000, 'its path says where it was cut')
  })

  it('counts noting in no time of the request', async () => {
    const routes = new RouteCollection()
    routes.get('hot', '/hot', () => json(hot(200)))
    await using app = await startApp({ routes })
    const send = () => app.send({ target: '/hot', headers: ['X-Fanlight-Profile: code'] })
    await send()
    const response = await send()
    const [total, controller] = [...(response.header('server-timing') ?? '').matchAll(/dur=([\d.]+)/g)].map(([, ms]) =>
      Number(ms),
    )
    const { body } = await app.send({ target: `/_profiler/${response.header('x-debug-token')}.json` })
    const { durationMs, data } = JSON.parse(body) as Pick<Profile, 'durationMs' | 'data'>
    const { spans, stretches = [] } = data['time'] as TimeData
    const [first = 0, last = Infinity] = [stretches[0], stretches.at(-1)]
    assert.ok(last - first <= durationMs + 0.01, `${first} to ${last}, in ${durationMs}`)
    const handler = spans.find(({ category }) => category === 'controller')?.durationMs ?? Infinity
    assert.ok((controller ?? 0) <= (total ?? 0), response.header('server-timing'))
    assert.ok(handler <= durationMs, `${handler} of ${durationMs}`)
  })

  it('says why there is none while another request is traced, and where coverage is counted', async (test) => {
    let arrived = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    await using app = await startWorking(async () => {
      arrived.resolve()
      await left.promise
    })
    const first = codeOf(app)
    await arrived.promise
    arrived = Promise.withResolvers<void>()
    const second = profileOf(app, asking)
    await arrived.promise
    left.resolve()
    assert.equal((await first).state, 'functions')
    assert.match(JSON.stringify((await second).data['notes']), /The code of another request is traced/)
    process.env['NODE_V8_COVERAGE'] = 'somewhere'
    test.after(() => delete process.env['NODE_V8_COVERAGE'])
    assert.match(JSON.stringify((await profileOf(app, asking)).data['notes']), /This process counts coverage/)
  })

  it('has what happened at its lines, what calls were given and returned, and unfolds those that say something', async () => {
    const routes = new RouteCollection()
    routes.get('pay', '/pay', ({ log }) => {
      log.warn('Paying {sum}.', { sum: 12 })
      const said = ['cash', 'card'].join(' or ')
      log.info(said)
      const receipt = pay(Array<number>(80).fill(2.4))
      return json(receipt)
    })
    await using app = await startApp({ routes })
    const sendPay = async (): Promise<string> =>
      (await app.send({ target: '/pay', headers: ['X-Fanlight-Profile: values'] })).header('x-debug-token') ?? ''
    await sendPay()
    const token = await sendPay()
    const { body } = await app.send({ target: `/_profiler/${token}.md?panel=code` })
    assert.ok(Buffer.byteLength(body) < 6000, `${Buffer.byteLength(body)} bytes`)
    // The call that threw comes first, then those at whose lines something happened.
    assert.match(
      body,
      /\n- `threw` `receiptOf`: `\S+cart\.ts:\d+`, `order` `"47110815"`, called by `pay` `\S+cart\.ts:\d+`\n- line `\d+`, `\s*if \(order === ''\) \{`\n- line `\d+`, `\s*return 'none'`, did not run\n- line `\d+`, ``[^\n]+``, `text` `"receipt of 47110815"`\n/,
    )
    assert.match(body, /throw new RangeError[^\n]+`error thrown` `RangeError: no receipt at undefined`\n/)
    assert.match(body, /`warn` `Paying 12\.`/)
    // Also where its message is not written there.
    assert.match(body, /log\.info\(said\)`, `info` `cash or card`/)
    assert.match(
      body,
      /`pay`: `\S+cart\.ts:\d+`, `prices` `\[2\.4, [^\n]+\n[^]*dump\(rounded, 'rounded'\)`, `dump` `rounded`\n/,
    )
    assert.match(body, /\d+ more calls: see the page or the JSON\.$/m)
    const { body: page } = await app.send({ target: `/_profiler/${token}?panel=code` })
    const cards = [
      ...page.matchAll(
        /<details class="tree-card fold"( open="true")?>[^]*?<code>(\w+)<\/code>([^<]|<(?!\/summary))*/g,
      ),
    ]
    const opened = cards.filter(([, isOpen]) => isOpen !== undefined).map(([, , name]) => name)
    assert.deepEqual(opened, ['anonymous', 'pay', 'receiptOf'])
    // The calls of a loop are one card.
    assert.match(pageText(page), /anonymous test\/profiler\/ran\/cart\.ts:33 · 80 calls/)
  })

  it('does not say of the end of a return of several lines that it did not run', async () => {
    const routes = new RouteCollection()
    routes.get('lines', '/lines', showLines)
    await using app = await startApp({ routes })
    const sendLines = async (): Promise<string> =>
      (await app.send({ target: '/lines', headers: ['X-Fanlight-Profile: code'] })).header('x-debug-token') ?? ''
    await sendLines()
    const { body } = await app.send({ target: `/_profiler/${await sendLines()}.md?panel=code` })
    const [handler = ''] = /^- `showLines`[^]*?(?=^- `)/m.exec(body) ?? []
    assert.doesNotMatch(handler, /did not run/)
    assert.match(body, /^- `showLines`/m)
  })

  it('opens the handler, and folds what was called around it; its Markdown begins with the handler', async () => {
    const routes = new RouteCollection()
    routes.get('sum', '/sum', showSum)
    await using app = await startApp({ routes })
    const sendSum = async (): Promise<string> =>
      (await app.send({ target: '/sum', headers: ['X-Fanlight-Profile: code'] })).header('x-debug-token') ?? ''
    await sendSum()
    const token = await sendSum()
    const { body } = await app.send({ target: `/_profiler/${token}.md?panel=code` })
    assert.match(body, /see the page or the JSON\.\n\n- `showSum`: /)
    assert.doesNotMatch(body, /`onRequest`/)
    const { body: page } = await app.send({ target: `/_profiler/${token}?panel=code` })
    const cards = [...page.matchAll(/<details class="tree-card fold"( open="true")?>[^]*?<code>(#?\w+)<\/code>/g)]
    assert.deepEqual(
      cards.filter(([, isOpen]) => isOpen !== undefined).map(([, , name]) => name),
      ['showSum'],
    )
    assert.ok(cards.some(([, , name]) => name === 'onRequest'))
  })

  it('is a panel, Markdown, and a button that sends the request twice', async () => {
    await using app = await startWorking(async (exchange) => total(await load('7', exchange.id), true))
    const first = await app.app.inject({ headers: asking })
    const empty = await app.send({ target: `/_profiler/${first.headers.get('x-debug-token')}?panel=code` })
    assert.match(pageText(empty.body), /These functions ran\. Send the request once more/)
    const { token } = await profileOf(app, asking)
    const panel = await app.send({ target: `/_profiler/${token}?panel=code` })
    assert.match(pageText(panel.body), /sum \*= 0\.9 sum 11\.25/)
    assert.match(pageText(panel.body), /\{ exchange Exchange \{…\} /)
    assert.match(panel.body, /data-measure="code"/)
    const { body } = await app.send({ target: `/_profiler/${token}.md?panel=code` })
    assert.match(body, /`total`: `test\/profiler\/ran\/cart\.ts:\d+`/)
  })
})
