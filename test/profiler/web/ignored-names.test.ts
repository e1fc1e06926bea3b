// Unknown parameters in an address of the profiler, over a real socket: ignored and named, the same way on every page.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { forAll } from '../../support/for-all.ts'
import { pageText, startApp } from '../../support/running-app.ts'

const running = await forAll(startApp())
const a = (await running.send({ target: '/products' })).header('x-debug-token') ?? ''
const b = (await running.send({ target: '/products' })).header('x-debug-token') ?? ''

const sentence = /Unknown parameter "zzz" was ignored\. Known: /

const pages = (): readonly (readonly [page: string, query: string])[] => [
  ['', ''],
  ['runs', ''],
  ['routes', ''],
  ['compare', ''],
  ['compare', `a=${a}&b=${b}&`],
  ['export', `token=${a}&`],
  [a, ''],
]

it('ignoredNotes: is on top of every page, which is as it is without', async () => {
  for (const [page, query] of pages()) {
    const { status, body } = await running.send({ target: `/_profiler/${page}?${query}zzz=1` })
    assert.equal(status, 200, page)
    assert.match(pageText(body), sentence, page)
    assert.match(body, /<main[^>]*><div class="notes">\s*<p class="note tone-info">/, page)
    const without = await running.send({ target: `/_profiler/${page}?${query}` })
    assert.doesNotMatch(without.body, /tone-info[^>]*>[^<]*in the address/, page)
  }
})

describe('withIgnored', () => {
  it('is under the title in Markdown, in a code span', async () => {
    for (const [page, query] of pages()) {
      const target = `/_profiler/${page === '' ? 'index' : page}.md?${query}zzz=1`
      const { body } = await running.send({ target })
      assert.match(body, /^(?:# .*\n\n)?`Unknown parameter "zzz"/, page)
    }
  })
})

it('ignored in JSON: is a list of sentences, empty where all was understood', async () => {
  for (const [page, query] of pages().filter(([name]) => name !== a)) {
    const name = page === '' ? 'index' : page
    const { body } = await running.send({ target: `/_profiler/${name}.json?${query}zzz=1` })
    const { ignored } = JSON.parse(body) as { ignored: readonly string[] }
    assert.match(ignored.join(), sentence, page)
    const without = await running.send({ target: `/_profiler/${name}.json?${query}` })
    assert.deepEqual((JSON.parse(without.body) as { ignored: readonly string[] }).ignored, [], page)
  }
})

it('a misspelt name in the address of a profile: is refused in every form, with the panels that there are', async () => {
  for (const ending of ['', '.json', '.md']) {
    const { status, body } = await running.send({ target: `/_profiler/${a}${ending}?pannel=logger` })
    assert.equal(status, 400, ending)
    const said = ending === '.json' ? (JSON.parse(body) as { error: string }).error : pageText(body)
    assert.match(said, /Unknown parameter "pannel"\. Did you mean "panel"\?/, ending)
    assert.match(body, /logger/, ending)
  }
})
