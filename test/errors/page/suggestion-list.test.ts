import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { suggestionList } from '../../../src/errors/page/routing-help.ts'
import { makeSuggestion } from '../../support/error-view.ts'
import { pageText } from '../../support/page-text.ts'

describe('suggestionList', () => {
  it('links to the address that would work, with reason and place', () => {
    const markup = suggestionList([makeSuggestion({ url: '/products?page=2', reason: 'Two letters are swapped.' })])
    assert.match(String(markup), /<a class="mono" href="\/products\?page=2">GET \/products\?page=2<\/a>/)
    const text = pageText(markup)
    for (const fact of ['Two letters are swapped.', 'app/routes.ts:12']) assert.ok(text.includes(fact), fact)
  })
  it('names the pattern where the address does not begin with it', () => {
    const [one, other] = ['/products', '/{slug}'].map((pattern) =>
      pageText(suggestionList([makeSuggestion({ pattern })])),
    )
    assert.doesNotMatch(one ?? '', /differs\. \/products/)
    assert.match(other ?? '', /differs\. \/\{slug\}/)
  })
  it('names what a click cannot ask for without a link', () => {
    const markup = suggestionList([
      makeSuggestion({ method: 'POST' }),
      makeSuggestion({ url: null, pattern: '/p/{slug}' }),
    ])
    assert.doesNotMatch(String(markup), /<a /)
    assert.match(pageText(markup), /POST \/products.*GET \/p\/\{slug\}/)
  })
  it('keeps the order, and marks what it leaves out', () => {
    const suggestions = Array.from({ length: 12 }, (_, index) => makeSuggestion({ url: `/s${index}`, definedAt: null }))
    const text = pageText(suggestionList(suggestions))
    assert.deepEqual(
      text.match(/GET \/s\d+/g),
      suggestions.slice(0, 8).map(({ url }) => `GET ${url}`),
    )
    assert.ok(text.includes('4 more routes not shown.'))
  })
  it('says so when there is none', () => {
    assert.equal(pageText(suggestionList([])), 'No route is close to the requested path.')
  })
})
