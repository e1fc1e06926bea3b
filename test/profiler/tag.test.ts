import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import express from 'express'
import { tag, text } from '../../src/index.ts'
import { listen } from '../integrations/served.ts'
import { pageText, shopRoutes, startApp, type RunningApp } from '../support/running-app.ts'

process.env['APP_ENV'] = 'dev'
process.env['APP_STORE'] = 'memory:'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/express.ts')

async function startTagging(): Promise<RunningApp> {
  const routes = shopRoutes()
  routes.get('checkout', '/checkout', async () => {
    tag('checkout', ' guest\n user ')
    await Promise.resolve()
    tag('checkout', 'Größe "L" <b>')
    return text('done')
  })
  routes.get('secret_tag', '/secret-tag', () => {
    tag('Authorization: Bearer canary-0123456789')
    return text('done')
  })
  routes.get('many', '/many', () => {
    for (let index = 0; index < 30; index += 1) tag(`tag ${index}`, '', '\u0000')
    tag('x'.repeat(100))
    return text('done')
  })
  return startApp({ routes })
}

async function tokenOf({ send }: RunningApp, target: string): Promise<string> {
  return (await send({ target })).header('x-debug-token') ?? ''
}

describe('tag', () => {
  it('marks the profile; the list narrows to it as page, JSON and Markdown', async () => {
    await using running = await startTagging()
    const token = await tokenOf(running, '/checkout')
    await tokenOf(running, '/products')
    const profile = await running.profiles.read(token)
    assert.deepEqual(profile?.tags, ['checkout', 'guest user', 'Größe "L" <b>'])
    const list = async (form: string, wanted: string): Promise<string> =>
      (await running.send({ target: `/_profiler/${form}?tag=${encodeURIComponent(wanted)}` })).body
    for (const wanted of profile.tags) {
      const { items } = JSON.parse(await list('index.json', wanted)) as { items: readonly { token: string }[] }
      assert.deepEqual(
        items.map((item) => item.token),
        [token],
        wanted,
      )
    }
    const page = await list('', 'guest user')
    assert.ok(page.includes('href="/_profiler/?tag=checkout"') && pageText(page).includes('Größe "L" <b>'))
    assert.doesNotMatch(page, /<b>\s*<\/a>/)
    assert.match(page, /name="tag" value="guest user"/)
    assert.match(await list('index.md', 'checkout'), /tags `checkout`, `guest user`/)
    assert.match(pageText(await list('', 'check')), /No profiles match these filters/)
    const { body } = await running.send({ target: `/_profiler/${token}` })
    assert.ok(body.includes('href="/_profiler/?tag=guest%20user"'))
    assert.match((await running.send({ target: `/_profiler/${token}.md` })).body, /- Tags: `checkout, guest user/)
  })

  it('keeps twenty of forty characters, and says so', async () => {
    await using running = await startTagging()
    const profile = await running.profiles.read(await tokenOf(running, '/many'))
    assert.equal(profile?.tags.length, 20)
    assert.deepEqual(profile.data['notes'], [{ source: 'tags', message: 'only the first 20 tags are kept.' }])
    const { body } = await running.send({ target: `/_profiler/index.json?tag=${encodeURIComponent('tag  3 ')}` })
    assert.match(body, /"tag 3"/)
  })

  it('masks secrets, and does nothing outside a request', async () => {
    await using running = await startTagging()
    const profile = await running.profiles.read(await tokenOf(running, '/secret-tag'))
    assert.doesNotMatch(JSON.stringify(profile), /canary/)
    assert.equal(profile?.tags.length, 1)
    assert.equal(tag('nowhere'), undefined)
  })

  it('marks profiles of Express', async (test) => {
    const app = express()
    fanlight(app)
    app.get('/orders', (_, response) => {
      tag('orders')
      response.send('ok')
    })
    const { port } = await listen(test, app)
    const origin = `http://127.0.0.1:${port}`
    const token = (await fetch(`${origin}/orders`)).headers.get('x-debug-token')
    const { items } = (await (await fetch(`${origin}/_profiler/index.json?tag=orders`)).json()) as {
      items: readonly { token: string }[]
    }
    assert.deepEqual(
      items.map((item) => item.token),
      [token],
    )
  })
})
