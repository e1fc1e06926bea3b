// Threats of SECURITY section 5 that only a browser can show: T14, T15, T17, T30, T31. The others are in test/security.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { listen } from '../integrations/served.ts'
import { panelNames, tokenOf } from '../support/attacked-app.ts'
import { closePages, isWhole, openBrowser, openPage, watchedPage } from '../support/browser.ts'
import { injections } from '../support/injected-markup.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'

const look = { width: 1200, colorScheme: 'light' } as const

after(closePages)
const browser = await openBrowser()
const running = await forAll(startApp())
const visits: { readonly url: string; readonly referer: string | undefined }[] = []
/** Another site: it frames what it is told to and notes who comes and from where. */
const foreign = await listen({ after }, (request, response) => {
  visits.push({ url: request.url ?? '', referer: request.headers.referer })
  const framed = new URL(request.url ?? '/', 'http://foreign').searchParams.get('frame')
  response.setHeader('content-type', 'text/html')
  response.end(framed === null ? '<p>foreign</p>' : `<iframe src="${framed}" width="900" height="600"></iframe>`)
})
const foreignUrl = `http://localhost:${foreign.port}`

/** Sends requests full of injections and gives the addresses of all pages that show them. */
async function hostilePages(): Promise<string[]> {
  const text = injections.join('')
  const raw = text.replaceAll(' ', '%20').replaceAll('#', '%23')
  const headers = ['Referer', 'User-Agent', 'Cookie', 'Accept-Language'].map((name) => `${name}: z=${text}`)
  const pages: string[] = []
  // Panels differ from request to request in what the route, the path and the error gave them.
  const differing: ReadonlySet<string> = new Set(['request', 'router', 'exception', 'logger'])
  for (const target of [`/error?a=${raw}`, `/x${raw}?${raw}`, `/products/${encodeURIComponent(text)}`]) {
    const token = tokenOf(await running.send({ target, headers }))
    const children = (await running.profiles.read(token))?.childTokens ?? []
    const isFirst = pages.length === 0
    for (const panel of await panelNames(running, token)) {
      if (!isWhole && !isFirst && !differing.has(panel)) continue
      for (const each of [token, ...children]) pages.push(`/_profiler/${each}?panel=${panel}`)
    }
  }
  const encoded = encodeURIComponent(text)
  return [
    ...pages,
    `/nope${encoded}?${encoded}=${encoded}`,
    `/error?${encoded}`,
    '/_profiler/',
    `/_profiler/?url=${encoded}`,
    `/_profiler/${encoded}`,
    `/_profiler/latest?panel=${encoded}`,
  ]
}

describe('threats that a browser shows', () => {
  it('T14, T15: no page runs what a request brought, and none loads anything from elsewhere', async () => {
    const targets = await hostilePages()
    assert.ok(targets.length > (isWhole ? 50 : 30))
    const { page, faults, close } = await watchedPage(browser, look, running.url)
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    for (const target of targets) {
      await page.goto(running.url + target)
      const injected = await page.evaluate(
        'document.querySelectorAll("zqtag, [zqattr], [onload], [onerror], [href^=javascript]").length',
      )
      assert.equal(injected, 0, target.slice(0, 60))
    }
    assert.deepEqual(faults, [])
    await close()
  })

  it('T17: pages of a path that begins with two slashes link to their own host only', async (test) => {
    const page = await openPage(test, look, running.url)
    for (const path of ['//evil.example/x', '///evil.example', '/\\evil.example']) {
      const token = tokenOf(await running.send({ target: path }))
      for (const target of [
        path,
        `/_profiler/${token}?panel=exception`,
        `/_profiler/${token}?panel=router`,
        '/_profiler/',
      ]) {
        await page.goto(running.url + target)
        const links = (await page.evaluate(
          `[...document.querySelectorAll('[href], [action], [src]')].map((e) =>
            new URL(['href', 'action', 'src'].map((name) => e.getAttribute(name)).find((link) => link !== null), document.baseURI).href)`,
        )) as readonly string[]
        const own = new URL(running.url).host
        for (const link of links)
          assert.ok(link.startsWith('data:') || new URL(link, running.url).host === own, `${target}: ${link}`)
      }
    }
  })

  it('T30: another site frames no page', async () => {
    const token = tokenOf(await running.send({ target: '/x' }))
    const control = await browser.newPage()
    await control.goto(`${foreignUrl}/?frame=/plain`)
    assert.ok((await control.frames()[1]?.content())?.includes('foreign'))
    await control.close()
    for (const target of ['/x', '/error', '/_profiler/', `/_profiler/${token}`]) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`${foreignUrl}/?frame=${encodeURIComponent(running.url + target)}`, { waitUntil: 'load' })
      const texts = await Promise.all(
        page
          .frames()
          .slice(1)
          .map(async (frame) => frame.content().catch(() => '')),
      )
      for (const text of texts) assert.ok(!text.includes('Fanlight') && !text.includes('No route found'), target)
      await context.close()
    }
  })

  it('T31: who follows a link out of the profiler does not say where the link was', async () => {
    const token = tokenOf(await running.send({ target: '/x', headers: [`Referer: ${foreignUrl}/out`] }))
    for (const target of [`/_profiler/${token}?panel=request`, `/_profiler/${token}?panel=exception`, '/_profiler/']) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(running.url + target)
      visits.length = 0
      await Promise.all([
        page.waitForURL(`${foreignUrl}/**`),
        page.evaluate(`location.href = ${JSON.stringify(`${foreignUrl}/left`)}`),
      ])
      assert.deepEqual(
        visits.filter(({ url }) => url === '/left').map(({ referer }) => referer),
        [undefined],
      )
      await context.close()
    }
  })
})
