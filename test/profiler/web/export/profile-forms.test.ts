// One profile as JSON and as Markdown, by the address and by Accept.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderProfileMarkdown } from '../../../../src/analysis/export/export-forms.ts'
import { hostileProfile, hostileText } from '../../../support/hostile-profile.ts'
import { makeProfile } from '../../../support/profiles.ts'
import { forAll } from '../../../support/for-all.ts'
import { startApp } from '../../../support/running-app.ts'
import { until } from '../../../support/until.ts'

const running = await forAll(startApp())
const token = (await running.send({ target: '/products?page=2' })).header('x-debug-token') ?? ''

/** Both forms of asking get the same. A note that comes late may be between the two. */
async function readBoth(ending: string, type: string): ReturnType<typeof running.send> {
  let byEnding = await running.send({ target: `/_profiler/${token}.${ending}` })
  await until(async () => {
    const byAccept = await running.send({ target: `/_profiler/${token}`, headers: [`Accept: ${type}`] })
    const isSame = byAccept.body === byEnding.body
    if (!isSame) byEnding = await running.send({ target: `/_profiler/${token}.${ending}` })
    return isSame
  }, 10_000)
  return byEnding
}

describe('the forms of a profile', () => {
  it('is JSON by its ending and by Accept', async () => {
    const byEnding = await readBoth('json', 'application/json')
    assert.equal(byEnding.status, 200)
    assert.match(byEnding.header('content-type') ?? '', /^application\/json/)
    assert.equal((JSON.parse(byEnding.body) as { token: string }).token, token)
    const part = await running.send({ target: `/_profiler/${token}.json?panel=currency` })
    assert.deepEqual(Object.keys((JSON.parse(part.body) as { data: object }).data), ['currency'])
  })

  it('is Markdown by its ending and by Accept', async () => {
    const byEnding = await readBoth('md', 'text/markdown')
    assert.equal(byEnding.header('content-type'), 'text/markdown; charset=utf-8')
    assert.equal(byEnding.header('cache-control'), 'no-store')
    assert.match(byEnding.body, new RegExp(`^# Profile \`${token}\``))
    assert.match(byEnding.body, /- Request: `GET http:\/\/127\.0\.0\.1:\d+\/products\?page=2`/)
    const part = await running.send({ target: `/_profiler/${token}.md?panel=router` })
    assert.deepEqual(part.body.match(/^## .*$/gm), ['## `router` (untrusted request data)'])
    const wrong = await running.send({ target: `/_profiler/${token}.md?panel=nope` })
    assert.equal(wrong.status, 404)
    assert.match(wrong.body, /^`There is no panel "nope"\.` There are: `request`, /)
  })

  it('says routing and configuration in words, as their panels do', async () => {
    const missed = (await running.send({ target: '/productz' })).header('x-debug-token') ?? ''
    for (const [of, panel, said] of [
      [token, 'router', /- Matched route: `products`\n- Pattern: `\/products`\n- Defined at: `\S+:\d+`/],
      [missed, 'router', /No route matched `GET \/productz`[^]*\n- `products`, `GET \/products`, `[^`]+`, `\S+:\d+`\n/],
      [token, 'config', /- Environment: `dev, debug`\n- Node: `\d+\.\d+\.\d+`\n[^]*- Running since: \d{4}-/],
    ] as const) {
      const { body } = await running.send({ target: `/_profiler/${of}.md?panel=${panel}` })
      assert.match(body, said)
      assert.doesNotMatch(body, /```/)
    }
  })

  it('is refused in every form to those who may not open profiles', async () => {
    for (const ending of ['.json', '.md']) {
      const headers = ['Origin: http://evil.example']
      const { status, body } = await running.send({ target: `/_profiler/${token}${ending}`, headers })
      assert.equal(status, 403)
      assert.ok(!body.includes(token))
    }
  })

  it('offers the request as a command on the request panel', async () => {
    const { body } = await running.send({ target: `/_profiler/${token}?panel=request` })
    assert.match(body, /curl --path-as-is --globoff 'http:\/\/127\.0\.0\.1:\d+\/products\?page=2'/)
  })
})

describe('renderProfileMarkdown', () => {
  it('keeps hostile text in code', () => {
    const markdown = renderProfileMarkdown(hostileProfile())
    assert.ok(markdown.includes('untrusted data'))
    let isCode = false
    for (const line of markdown.split('\n')) {
      if (/^`{3,}/.test(line)) isCode = !isCode
      else if (!isCode) assert.ok(!line.replace(/(`+)[^`][^]*?\1/g, '').includes('<img'), line)
    }
    assert.ok(markdown.includes(JSON.stringify(hostileText).slice(1, -1)))
  })

  it('cannot be left by fences in the data', () => {
    const markdown = renderProfileMarkdown(makeProfile({ url: 'http://h/`x`', data: { dump: '```\n# Do this\n````' } }))
    assert.match(markdown, /- Request: `` GET http:\/\/h\/`x` ``/)
    assert.match(markdown, /\n`{5,}json\n/)
  })

  it('says what is missing in sentences', () => {
    const notes = [{ source: 'collector mail', message: 'failed: *oh*' }, { source: 'recording', message: 'Cut.' }, 7]
    const markdown = renderProfileMarkdown(makeProfile({ data: { notes } }))
    assert.ok(markdown.endsWith('\n\n`Collector mail failed: *oh*` `Cut.`\n'), markdown)
  })

  it('cuts a section that is too long, and says so', () => {
    const markdown = renderProfileMarkdown(makeProfile({ data: { dump: 'x'.repeat(70_000) } }))
    assert.ok(markdown.length < 62_000)
    assert.match(markdown, /… \[10002 more characters\]/)
  })
})
