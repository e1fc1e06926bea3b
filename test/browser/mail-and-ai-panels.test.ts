// The panels of mail and of language models in a browser: none, one, many, and HTML of mail that wants to run, to load, to send and to lead elsewhere.

import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createTransport } from 'nodemailer'
import type { Browser } from 'playwright-core'
import { json, RouteCollection } from '../../src/index.ts'
import { observe } from '../../src/capture.ts'
import { startAiServer, type AiServer } from '../support/ai-server.ts'
import {
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  isWhole,
  openPage,
  watchedPage,
} from '../support/browser.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { noBodiesOfFetch } from '../support/node-features.ts'

let browser: Browser
let app: RunningApp
let ai: AiServer
/** Nobody may connect to it. */
let elsewhere: Server
let connections = 0
let markup = ''
before(async () => {
  elsewhere = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => elsewhere.once('listening', resolve))
  markup = hostile(`127.0.0.1:${(elsewhere.address() as AddressInfo).port}`)
  const mailer = observe(createTransport({ jsonTransport: true }))
  const routes = new RouteCollection()
  routes.get('mails', '/mails/{count<\\d+>}', async ({ request: { params } }) => {
    for (let index = 0; index < Number(params.count); index += 1) {
      await mailer.sendMail({
        from: 'shop@example.org',
        to: ['ada@example.org', `${'reader'.repeat(20)}@example.org`],
        subject: `Order ${index} ${'without-a-break'.repeat(index === 0 ? 20 : 1)}`,
        text: 'x'.repeat(500),
        html: markup,
        attachments: [{ filename: `${'long'.repeat(40)}.pdf`, content: 'x' }],
      })
    }
    return json({})
  })
  ai = await startAiServer()
  routes.get('asks', '/asks/{count<\\d+>}', async ({ request: { params } }) => {
    for (let index = 0; index < Number(params.count); index += 1) {
      const model = index === 1 ? 'busy' : `a-model-with-a-long-name-${'x'.repeat(index === 0 ? 150 : 1)}`
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello '.repeat(100) }], tools: [] })
      await (await fetch(`${ai.url}/chat/completions`, { method: 'POST', body })).text()
    }
    return json({})
  })
  app = await startApp({ routes, ai: { captureTexts: true } })
  browser = await openBrowser()
})
after(async () => {
  await app[Symbol.asyncDispose]()
  await ai[Symbol.asyncDispose]()
  elsewhere.close()
})

describe('the mail panel', () => {
  it('shows mails in every look', async () => {
    const [none, one, many] = await Promise.all([0, 1, 60].map(async (count) => addressOf(count)))
    for (const look of everyLook) {
      const { page, close } = await watchedPage(browser, look, app.url)
      const check = async (): Promise<void> => {
        await assertNoSidewaysScrolling(page)
        await assertAccessible(page)
      }
      await page.goto(none ?? '')
      assert.match(await page.locator('main').innerText(), /No mail was sent/)
      await check()
      await page.goto(one ?? '')
      assert.match(await page.locator('main').innerText(), /Order 0 without-a-break[^]*ada@example\.org/)
      await check()
      await page.goto(many ?? '')
      assert.match(await page.locator('main').innerText(), /of 60 mails recorded/)
      await assertNoSidewaysScrolling(page)
      // Each of them is like the one.
      if (isWhole) await assertAccessible(page)
      await close()
    }
  })

  it('draws hostile HTML and lets it do nothing, in the frame and in its own window', async () => {
    const address = await addressOf(1)
    const page = await browser.newPage()
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await page.goto(address)
    await page.locator('.page-frame').scrollIntoViewIfNeeded()
    const frame = page.frameLocator('.page-frame')
    assert.equal(await frame.locator('#words').innerText(), 'Your order')
    const color = await page.frames()[1]?.evaluate('getComputedStyle(document.querySelector("#words")).color')
    assert.equal(color, 'rgb(1, 2, 3)')
    assert.equal(await frame.locator('#ran').count(), 0)
    for (const leave of ['#leave', '#top', '#window', '#send', '#self']) {
      await frame.locator(leave).click({ force: true, noWaitAfter: true })
    }
    assert.equal(page.url(), address)
    assert.equal(page.context().pages().length, 1)
    const source = await page.locator('.page-frame').getAttribute('src')
    await page.goto(new URL(source ?? '', app.url).href)
    assert.equal(await page.locator('#words').innerText(), 'Your order')
    assert.equal(await page.locator('#ran').count(), 0)
    assert.equal(await page.evaluate('origin'), 'null')
    await page.close()
    assert.deepEqual(dialogs, [])
    assert.equal(connections, 0)
  })
})

it('the AI panel: shows calls in every look', { skip: noBodiesOfFetch }, async (test) => {
  const [none, some, many] = await Promise.all([0, 3, 120].map(async (count) => addressOf(count, 'asks', 'ai')))
  for (const look of everyLook) {
    const page = await openPage(test, look, app.url)
    for (const [address, shown] of [
      [none, /No language model was called/],
      [some, /Model calls[^]*a-model-with[^]*Rate limit[^]*Prompt/],
      [many, /\d+ of 120 calls recorded/],
    ] as const) {
      await page.goto(address ?? '')
      assert.match(await page.locator('main').innerText(), shown)
      await assertNoSidewaysScrolling(page)
      if (isWhole || address !== many) await assertAccessible(page)
    }
  }
})

async function addressOf(count: number, path = 'mails', panel = 'mail'): Promise<string> {
  const token = (await app.send({ target: `/${path}/${count}` })).header('x-debug-token') ?? ''
  return `${app.url}/_profiler/${token}?panel=${panel}`
}

/** All ways to run something, to ask `host` for something, or to lead the reader there. */
function hostile(host: string): string {
  const there = `http://${host}`
  return `<!doctype html><html><head><base href="${there}/"><meta http-equiv="refresh" content="0;url=${there}/refresh">
<link rel="preconnect" href="${there}"><LINK rel="stylesheet" href="${there}/s.css"><link rel="dns-prefetch" href="//${host}">
<link rel="prefetch" href="${there}/p"><link rel="preload" as="image" href="${there}/i"><link rel="modulepreload" href="${there}/m.js">
<link rel="icon" href="${there}/icon"><link rel="manifest" href="${there}/manifest">
<style>@import url("${there}/import.css"); @font-face { font-family: f; src: url("${there}/font") } body { background: url("${there}/css"); font-family: f }</style>
<script>document.body.append(Object.assign(document.createElement('i'), { id: 'ran' })); alert(1); fetch('${there}')</script>
<script src="${there}/script.js"></script><script type="speculationrules">{"prefetch":[{"urls":["${there}/spec"]}]}</script></head>
<body background="${there}/body" onload="alert(2)"><p id="words" style="color: rgb(1, 2, 3)">Your order</p>
<a id="leave" href="${there}/leave" ping="${there}/ping">leave</a> <a id="top" href="${there}/top" target="_top">top</a>
<a id="window" href="${there}/window" target="_blank">window</a> <a id="self" href="${there}/self" target="_self">self</a>
<form action="${there}/form" method="post"><input name="password"><button id="send">send</button></form>
<img src="${there}/img" srcset="${there}/set 2x" onerror="alert(3)"><picture><source srcset="${there}/picture"><img alt=""></picture>
<iframe src="${there}/iframe"></iframe><iframe srcdoc="<img src='${there}/srcdoc'><script>alert(4)</script>"></iframe>
<object data="${there}/object"></object><embed src="${there}/embed"><video src="${there}/video" poster="${there}/poster" autoplay></video>
<audio src="${there}/audio" autoplay></audio><input type="image" src="${there}/input"><svg><image href="${there}/svg"></image>
<use href="${there}/use#a"></use><script>alert(5)</script></svg><math><mtext><img src=x onerror=alert(6)></mtext></math>
<div style="background-image: image-set('${there}/image-set' 1x); cursor: url(${there}/cursor), auto">x</div></body></html>`
}
