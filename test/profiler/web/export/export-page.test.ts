// A profile saved from the browser: what is masked is said before, and each file is what it claims to be.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readProfileFile } from '../../../../src/analysis/export/profile-file.ts'
import { forAll } from '../../../support/for-all.ts'
import { startApp } from '../../../support/running-app.ts'

const running = await forAll(startApp())
const headers = ['Authorization: Bearer tr0ub4dortr0ub4dor']
const token = (await running.send({ target: '/error?password=tr0ub4dor', headers })).header('x-debug-token') ?? ''

const save = (form: string) => running.send({ target: `/_profiler/export?token=${token}&as=${form}` })

describe('exportPage', () => {
  it('is reached from a profile, beside the file itself, and says what is masked', async () => {
    const profile = await running.send({ target: `/_profiler/${token}` })
    assert.match(
      profile.body,
      new RegExp(
        `export\\?token=${token}&amp;as=html">Share</a>\\s*<a class="button" href="[^"]*/export\\?token=${token}"`,
      ),
    )
    const { body, status } = await running.send({ target: `/_profiler/export?token=${token}` })
    assert.equal(status, 200)
    assert.match(body, /\d+ values in this profile and its 1 sub-request are masked\./)
    assert.match(body, new RegExp(`<li>${token} data\\.request\\.headers\\.\\d+\\.1</li>`))
    assert.doesNotMatch(body, /tr0ub4dor/)
  })

  it('saves a request with its sub-request as a page and as JSON that can be imported', async () => {
    for (const [form, ending] of [
      ['html', 'html'],
      ['json', 'json'],
    ] as const) {
      const answer = await save(form)
      assert.equal(answer.status, 200)
      assert.equal(answer.header('content-disposition'), `attachment; filename="profile-${token}.${ending}"`)
      assert.equal(answer.header('cache-control'), 'no-store')
      const [first, child] = readProfileFile(answer.body)
      assert.deepEqual([first?.token, child?.parentToken], [token, token])
      assert.doesNotMatch(answer.body, /tr0ub4dor/)
    }
  })

  it('leads from latest to the newest profile, and refuses what the address cannot mean', async () => {
    const { status, location } = await running
      .send({ target: '/_profiler/export.json?token=latest&as=html' })
      .then((answer) => ({ status: answer.status, location: answer.header('location') ?? '' }))
    assert.equal(status, 302)
    assert.match(location, /^\/_profiler\/export\.json\?token=[0-9a-z]{10,16}&as=html$/)
    for (const [query, sentence] of [
      ['as=exe', /As: "exe" is not valid\. Use html, json, otlp, markdown\./],
      ['as=html&as=json', /As: "html" and "json" cannot be combined\. Use one value\./],
      ['tokens=x', /Unknown parameter "tokens"\. Did you mean "token"\?/],
    ] as const) {
      const answer = await running.send({ target: `/_profiler/export.md?token=${token}&${query}` })
      assert.equal(answer.status, 400, query)
      assert.match(answer.body, sentence)
    }
  })

  it('names no folder of this machine by links into an editor', async () => {
    await using app = await startApp({ env: { APP_EDITOR: 'vscode' } })
    const own = (await app.send({ target: '/error' })).header('x-debug-token') ?? ''
    assert.match((await app.send({ target: `/_profiler/${own}` })).body, /href="vscode:/)
    assert.match(
      (await app.send({ target: `/_profiler/${own}?panel=router` })).body,
      /Defined at[\s\S]{0,80}href="vscode:/,
    )
    const saved = await app.send({ target: `/_profiler/export?token=${own}&as=html` })
    assert.match(saved.body, /Defined at/)
    assert.doesNotMatch(saved.body, /vscode:/)
  })

  it('saves all of it as Markdown', async () => {
    const markdown = await save('markdown')
    assert.match(markdown.header('content-disposition') ?? '', /\.md"$/)
    assert.equal(markdown.body.match(/^# Profile /gm)?.length, 2)
  })

  it('says the same as JSON and as Markdown', async () => {
    const { body } = await running.send({ target: `/_profiler/export.json?token=${token}` })
    const facts = JSON.parse(body) as { profiles: number; files: Record<string, string>; places: string[] }
    assert.deepEqual([facts.profiles, Object.keys(facts.files)], [2, ['html', 'json', 'otlp', 'markdown']])
    assert.equal((await running.send({ target: facts.files['otlp'] ?? '' })).status, 200)
    const markdown = await running.send({ target: `/_profiler/export.md?token=${token}` })
    assert.match(markdown.body, new RegExp(`^# Export of \`${token}\``))
  })

  it('answers for unknown profiles like every page', async () => {
    const missing = await running.send({ target: '/_profiler/zzzzzzzzzzzz' })
    for (const query of ['', '?token=zzzzzzzzzzzz', '?token=../../etc', '?token=zzzzzzzzzzzz&as=html']) {
      const { status, body } = await running.send({ target: `/_profiler/export${query}` })
      assert.deepEqual([status, withoutNonce(body)], [404, withoutNonce(missing.body)])
    }
  })

  it('is refused to those who may not open profiles', async () => {
    for (const form of ['', '&as=html', '&as=json']) {
      const target = `/_profiler/export?token=${token}${form}`
      assert.equal((await running.send({ target, headers: ['Origin: http://evil.example'] })).status, 403)
    }
  })
})

function withoutNonce(page: string): string {
  return page.replace(/nonce="[^"]*"/g, '')
}
