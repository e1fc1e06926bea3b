import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { ErrorView } from '../../src/errors/error-view.ts'
import { contentSecurityPolicy, createNonce } from '../../src/base/html/document.ts'
import { renderErrorPage } from '../../src/errors/page/error-page.ts'
import { builtInMaintenancePage, renderPublicErrorPage, quietPagePolicy } from '../../src/errors/page/quiet-page.ts'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  looks,
  openPage,
} from '../support/browser.ts'
import {
  makeChain,
  makeError,
  makeErrorView,
  makeExcerpt,
  makeFrame,
  makeRecord,
  makeSuggestion,
} from '../support/error-view.ts'
import { until } from '../support/until.ts'

const long = 'averylongwordwithoutanyspace'.repeat(40)
const longLog = Array.from({ length: 20 }, (_, index) =>
  makeRecord({ level: index % 2 === 0 ? 'info' : 'warn', message: `Line ${index}.` }),
)
const views: Readonly<Record<string, ErrorView>> = {
  'not-found': makeErrorView({ suggestions: [makeSuggestion(), makeSuggestion({ method: 'POST' })] }),
  chain: makeErrorView({
    statusCode: 500,
    chain: makeChain(
      ...[3, 2, 1].map((line) => makeError({ frames: [makeFrame({ line, excerpt: makeExcerpt(1, 5) })] })),
    ),
  }),
  'long-log': makeErrorView({ statusCode: 500, log: longLog }),
  'type-error': makeErrorView({
    statusCode: 500,
    statusText: 'Internal Server Error',
    url: `http://127.0.0.1/${long}`,
    route: 'cart',
    routeParameters: { slug: long },
    hints: [{ title: 'Nothing is listening there', text: long }],
    chain: makeChain(
      makeError({
        message: `Line one\n${long}`,
        properties: [{ name: 'detail', value: long }],
        frames: [
          makeFrame({ functionName: long, excerpt: makeExcerpt(5, 15) }),
          makeFrame({ origin: 'dependency', file: `node_modules/pg/${long}.js` }),
          makeFrame({ origin: 'node', file: 'node:net', isAsync: true }),
        ],
        members: [makeChain(makeError({ isError: false, className: 'null', message: 'null' }))],
      }),
    ),
    log: (['debug', 'info', 'warn', 'error'] as const).map((level) =>
      makeRecord({ level, message: long, context: { long } }),
    ),
  }),
}

describe('the error page in a browser', () => {
  let browser: Browser
  let server: Server
  let origin = ''

  before(async () => {
    browser = await openBrowser()
    server = createServer((request, response) => {
      const [body, policy] = answer(request.url?.slice(1) ?? '')
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
      response.end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    origin = `http://127.0.0.1:${address.port}`
  })
  after(async () => {
    await closePages()
    server.close()
  })

  for (const name of ['not-found', 'type-error', 'public', 'maintenance']) {
    for (const look of name in views ? everyLook : looks.slice(1, 3)) {
      it(`${name} reads well in ${look.colorScheme} at ${look.width} px, unfolded too`, async (test) => {
        const page = await openPage(test, look, origin)
        await page.goto(`${origin}/${name}`)
        await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
        await assertNoSidewaysScrolling(page)
        await assertAccessible(page)
      })
    }
  }

  it('changes its colours by a button and keeps the choice', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.goto(`${origin}/not-found`)
    const light = await background(page)
    await page.getByRole('button', { name: 'Dark colours' }).press('Enter')
    const dark = await background(page)
    assert.notEqual(dark, light)
    await page.reload()
    assert.equal(await background(page), dark)
    await page.getByRole('button', { name: 'Light colours' }).click()
    assert.equal(await background(page), light)
  })

  it('copies the text, the Markdown, and the Markdown with a warning for an agent', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
    await page.goto(`${origin}/not-found`)
    for (const [name, expected] of [
      ['Text', /^the Markdown\n\nof a title\n# `code` \$\{x\}\nend$/],
      ['Markdown', /^# the Markdown\n\nof `a title`\n```ts\n# `code`/],
      ['Agent prompt', /untrusted data[\s\S]*# the Markdown\n/],
    ] as const) {
      await page.getByText('Copy', { exact: true }).click()
      // It says so for a while only: waited for from before the click on.
      const said = page.locator('.copy > summary', { hasText: 'Copied' }).waitFor()
      await Promise.all([said, page.getByRole('button', { name, exact: true }).press('Enter')])
      await until(async () => expected.test(String(await page.evaluate('navigator.clipboard.readText()'))))
      await page.locator('.copy > summary', { hasText: 'Copy' }).waitFor()
    }
  })

  it('copies a place as file and line by one click', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
    await page.goto(`${origin}/type-error`)
    const place = 'app/controllers/product-controller.ts:12'
    await page
      .getByRole('button', { name: `Copy ${place}` })
      .first()
      .click()
    await until(async () => String(await page.evaluate('navigator.clipboard.readText()')) === place)
  })

  it('shows long messages and addresses whole when asked', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.goto(`${origin}/type-error`)
    const message = page.locator('h1')
    const short = (await message.boundingBox())?.height ?? 0
    await page.locator('.headline').getByLabel('Show all').check()
    assert.ok(((await message.boundingBox())?.height ?? 0) > short)
  })

  it('narrows a long log by text and by level', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.goto(`${origin}/long-log`)
    const rows = page.locator('.log tbody tr:visible')
    assert.equal(await rows.count(), 20)
    await page.getByLabel('Find in lines of the log').fill('LINE 1')
    assert.equal(await rows.count(), 11)
    await page.getByRole('radio', { name: /^Problems/ }).check()
    assert.equal(await rows.count(), 6)
    assert.equal(await page.getByText('6 of 20 lines').isVisible(), true)
    await assertAccessible(page)
  })

  it('is complete without a script: calls unfold, nothing dead is shown', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${origin}/type-error`)
    assert.equal(await page.getByRole('button').count(), 0)
    const run = page.getByText('2 frames in pg, node')
    assert.equal(await page.getByText('node:net:12:5').isVisible(), false)
    await run.click()
    assert.equal(await page.getByText('node:net:12:5').isVisible(), true)
    await context.close()
  })

  it('shows one step of the chain at a time, by keyboard too', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.goto(`${origin}/chain`)
    assert.deepEqual(await openSteps(page), ['error-1'])
    await page.locator('#error-3 > summary').press('Enter')
    await until(async () => (await openSteps(page)).join() === 'error-3')
    // The steps stay above the source of the one that is open.
    const [step, source] = [page.locator('#error-1 > summary'), page.locator('#error-3 .lead')]
    assert.ok(((await step.boundingBox())?.y ?? Infinity) < ((await source.boundingBox())?.y ?? 0))
  })
})

async function openSteps(page: Page): Promise<string[]> {
  return page.locator('.step[open]').evaluateAll((steps) => steps.map((step) => step.id))
}

function answer(name: string): readonly [body: string, policy: string] {
  const view = views[name]
  if (view === undefined) {
    const facts = { statusCode: 500, statusText: 'Internal Server Error', reference: 'k3j9' }
    return [name === 'public' ? String(renderPublicErrorPage(facts)) : builtInMaintenancePage, quietPagePolicy]
  }
  const nonce = createNonce()
  const copy = { markdown: '# the Markdown\n\nof `a title`\n```ts\n# `code` ${x}\n```\nend' }
  return [String(renderErrorPage(view, { nonce, profilerPath: '/_profiler', copy })), contentSecurityPolicy(nonce)]
}

async function background(page: Page): Promise<unknown> {
  return page.evaluate('getComputedStyle(document.body).backgroundColor')
}
