import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteCollection, text } from '../../../src/index.ts'
import { profileHeadline, profileLinks } from '../../../src/pages/profile-headline.ts'
import { makeProfile } from '../../support/profiles.ts'
import { startApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

const current = (body: string): readonly string[] =>
  [...body.matchAll(/<a aria-current="page" href="([^"]*)">/g)].map(([, href = '']) => href)
const title = (body: string): string => /<title>([^<]*)<\/title>/.exec(body)?.[1] ?? ''

describe('the bar of the profiler', () => {
  const labels = (body: string): readonly (readonly string[])[] =>
    [/<nav class="pages[\s\S]*?<details/, /<details class="fold more"[\s\S]*?<\/details>/].map((part) =>
      [...(part.exec(body)?.[0] ?? '').matchAll(/>([^<>]+)<\/a>/g)].map(([, label = '']) => label),
    )

  it('names the same pages on each of them, and marks the one that is open', async () => {
    await using running = await startApp()
    for (const path of ['/', '/errors', '/runs', '/routes', '/lock', '/status', '/help']) {
      const { body } = await running.send({ target: `/_profiler${path}` })
      assert.deepEqual(current(body), [`/_profiler${path}`])
      const [bar = [], more = []] = labels(body)
      assert.deepEqual([bar.at(0), bar.at(-1), more.at(-1)], ['Requests', 'Routes', 'Help'])
      assert.equal(/<summary aria-current="true">/.test(body), ['/lock', '/status', '/help'].includes(path))
    }
  })

  it('has pages under More once there is something to see', async () => {
    const routes = new RouteCollection()
    const held = Promise.withResolvers<void>()
    routes.get('holds', '/holds', async () => {
      await held.promise
      return text('')
    })
    await using running = await startApp({ routes })
    const more = async (): Promise<readonly string[]> =>
      labels((await running.send({ target: '/_profiler/help' })).body)[1] ?? []
    const hidden = new Set(['Traces', 'Open requests', 'Tasks'])
    assert.deepEqual(
      (await more()).filter((label) => hidden.has(label)),
      [],
    )
    const open = running.send({ target: '/holds' })
    await until(async () => (await more()).includes('Open requests'))
    held.resolve()
    await open
    await until(async () => !(await more()).includes('Open requests'))
    const traceparent = 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    for (let sent = 0; sent < 2; sent += 1) await running.send({ target: '/holds', headers: [traceparent] })
    await until(async () => (await more()).includes('Traces'))
  })
})

it('the band of a profile: names what deserves a look, and leads to the panel that shows it', async () => {
  const routes = new RouteCollection()
  routes.get('warns', '/warns', ({ log }) => {
    log.error('Payment failed.')
    return text('declined')
  })
  // Time on the processor: on a busy machine, 200 ms may have little of it.
  routes.get('held', '/held', () => {
    const usedUs = (): number => process.cpuUsage().user + process.cpuUsage().system
    const until = usedUs() + 150_000
    while (usedUs() < until);
    return text('held')
  })
  routes.get('fails', '/fails', () => {
    throw new Error('no')
  })
  await using running = await startApp({ routes })
  const found = async (target: string): Promise<readonly string[]> => {
    const link = (await running.send({ target })).header('x-debug-token-link') ?? ''
    const { body } = await running.send({ target: link })
    const line = /<span>Findings:<\/span>[\s\S]*?<\/p>/.exec(body)?.[0] ?? ''
    return [...line.matchAll(/panel=([\w-]+)[^>]*>\s*<b>([^<]+)/g)].map(([, panel, label]) => `${panel}: ${label}`)
  }
  assert.deepEqual(await found('/warns'), ['logger: error'])
  assert.deepEqual(await found('/held'), ['time: blocked'])
  assert.ok(!(await found('/fails')).includes('logger: error'), 'the status says it already')
})

it('the band of a profile with many sub-requests: names the first of them and leads to the list of all', () => {
  const childTokens = Array.from({ length: 40 }, (_, index) => `child${String(index).padStart(5, '0')}`)
  const profile = makeProfile({ childTokens })
  const band = String(profileHeadline(profile, { linkTo: (token) => `/_profiler/${token}` }))
  assert.ok(band.includes('child00005') && !band.includes('child00006'))
  assert.match(band, /and 34 more/)
  const links = String(profileLinks(profile, '/_profiler'))
  assert.ok(links.includes(`href="/_profiler/?parent=${profile.token}"`))
  assert.match(links, /All 40 sub-requests/)
  assert.doesNotMatch(String(profileLinks(makeProfile({}), '/_profiler')), /sub-requests/)
})

it('a panel that is not there: is answered with the one that was meant, by name or title', async () => {
  await using running = await startApp()
  const link = (await running.send({ target: '/products' })).header('x-debug-token-link') ?? ''
  const meant = async (panel: string): Promise<string | undefined> =>
    /Did you mean "([\w-]+)"/.exec((await running.send({ target: `${link}?panel=${panel}` })).body)?.[1]
  assert.deepEqual(await Promise.all(['http_client', 'loger', 'Performance', 'zzz'].map(meant)), [
    'http-client',
    'logger',
    'time',
    undefined,
  ])
})

it('the menu of a profile: says what the number beside a panel counts', async () => {
  const routes = new RouteCollection()
  routes.get('warns', '/warns', ({ log }) => {
    log.warn('Stock is low.')
    throw new Error('outer', { cause: new Error('inner') })
  })
  await using running = await startApp({ routes })
  const link = (await running.send({ target: '/warns' })).header('x-debug-token-link') ?? ''
  const { body } = await running.send({ target: link })
  assert.match(body, /<span class="badge tone-error" title="2 errors"\s*><span aria-hidden="true">2<\/span>/)
  assert.match(body, /title="\d+ errors and warnings, \d+ lines"/)
  const menu = /<nav class="menu[\s\S]*?<\/nav>/.exec(body)?.[0] ?? ''
  const [full = '', empty = ''] = menu.split('<details')
  const names = (part: string): readonly (string | undefined)[] =>
    [...part.matchAll(/panel=([\w-]+)/g)].map(([, name]) => name)
  assert.match(empty, new RegExp(`<summary>${names(empty).length} empty</summary>`))
  assert.ok(names(empty).includes('cpu') && !names(full).includes('cpu'))
  assert.ok(names(full).includes('memory'), 'Memory shows the heap, sampled or not')
  const { body: asked } = await running.send({ target: `${link}?panel=cpu` })
  assert.ok(names(/<nav class="menu[\s\S]*?<details/.exec(asked)?.[0] ?? '').includes('cpu'), 'the one that is open')
})

it('the title of a profile: names panel, status, method and path', async () => {
  await using running = await startApp()
  await running.send({ target: '/error?x=1' })
  const { items } = await running.profiles.find({}, { limit: 1 })
  const { body } = await running.send({ target: `/_profiler/${items[0]?.token}` })
  assert.equal(title(body), 'Exception: 500 GET /error?x=1 · Fanlight')
})

describe('the profile of a command', () => {
  it('opens on the command and leaves out panels that only requests have', async () => {
    await using running = await startApp({ commands: { tidy: () => undefined } })
    const { token } = await running.app.runCommand('tidy')
    const { body } = await running.send({ target: `/_profiler/${token}` })
    assert.equal(title(body), 'Command: done tidy · Fanlight')
    const menu = [...body.matchAll(/\?panel=([\w-]+)&amp;type=request/g)].map(([, name]) => name)
    assert.equal(menu[0], 'command')
    for (const name of ['request', 'router', 'cpu', 'currency']) assert.ok(!menu.includes(name), name)
    const asked = await running.send({ target: `/_profiler/${token}?panel=request&type=request` })
    assert.equal(asked.status, 200)
  })

  it('is missing from the menu of a request', async () => {
    await using running = await startApp()
    await running.send({ target: '/products' })
    const { items } = await running.profiles.find({}, { limit: 1 })
    const { body } = await running.send({ target: `/_profiler/${items[0]?.token}` })
    assert.doesNotMatch(body, /panel=command/)
  })
})

describe('a profile that was opened from a list', () => {
  it('leads to its neighbours in that list, with the panel kept, and back to the list', async () => {
    await using running = await startApp()
    const tokens: string[] = []
    for (const target of ['/products?1', '/nowhere', '/products?2', '/products?3']) {
      tokens.push((await running.send({ target })).header('x-debug-token') ?? '')
    }
    const [first, miss, second, third] = tokens
    const list = 'url=products&limit=5'
    const inList = `list=${encodeURIComponent(list)}`
    const links = async (address: string): Promise<readonly string[]> => {
      const { body } = await running.send({ target: `/_profiler/${address}` })
      return [...body.matchAll(/rel="(?:prev|next)"\s+href="([^"]+)"/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      )
    }
    assert.deepEqual(await links(`${second}?${inList}`), [
      `/_profiler/${third}?${inList}`,
      `/_profiler/${first}?${inList}`,
    ])
    assert.deepEqual(await links(`${second}?panel=logger&type=request&${inList}`), [
      `/_profiler/${third}?panel=logger&type=request&${inList}`,
      `/_profiler/${first}?panel=logger&type=request&${inList}`,
    ])
    // Without a list, or with one that cannot be used: the whole list.
    for (const address of [`${second}`, `${second}?list=status%3Dodd`]) {
      assert.deepEqual(await links(address), [`/_profiler/${third}`, `/_profiler/${miss}`])
    }
    assert.deepEqual(await links(`${third}?list=sort%3Dqueries`), [`/_profiler/${second}?list=sort%3Dqueries`])
    const { body } = await running.send({ target: `/_profiler/${second}?${inList}` })
    assert.match(body, new RegExp(`href="/_profiler/\\?url=products&amp;limit=5#${second}">Requests<`))
    assert.match(
      body,
      new RegExp(`href="/_profiler/${second}\\?panel=time&amp;type=request&amp;${inList.replaceAll('%', '%')}"`),
    )
    const rows = (await running.send({ target: `/_profiler/?${list}` })).body
    assert.match(rows, new RegExp(`<a class="open" href="/_profiler/${second}\\?${inList}">`))
  })

  it('has no neighbours where it is the only one, or a sub-request of an empty list', async () => {
    await using running = await startApp()
    const token = (await running.send({ target: '/products' })).header('x-debug-token') ?? ''
    const { body, status } = await running.send({ target: `/_profiler/${token}?list=${'x'.repeat(3000)}` })
    assert.equal(status, 200)
    assert.doesNotMatch(body, /rel="(?:prev|next)"/)
  })
})
