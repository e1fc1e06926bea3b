import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { builtInMaintenancePage, renderPublicErrorPage, quietPagePolicy } from '../../../src/errors/page/quiet-page.ts'
import { pageText } from '../../support/page-text.ts'

const hashOfStyle = (page: string): string =>
  createHash('sha256')
    .update(/<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '')
    .digest('base64')

describe('renderPublicErrorPage', () => {
  const facts = { statusCode: 404, statusText: 'Not Found', reference: 'k3j9x2' }
  const page = String(renderPublicErrorPage(facts))

  it('has the title of the debug page, one sentence and the reference', () => {
    assert.ok(page.includes('<title>Error 404 Not Found</title>'))
    assert.equal(pageText(page), 'Error 404 Not Found There is no page at this address. Reference: k3j9x2')
  })
  it('has a sentence for every status', () => {
    for (let statusCode = 400; statusCode < 600; statusCode++) {
      const text = pageText(renderPublicErrorPage({ ...facts, statusCode }))
      assert.match(text, /Not Found \S.*\. Reference/)
    }
  })
  it('leaves the reference out where there is none', () => {
    assert.doesNotMatch(pageText(renderPublicErrorPage({ ...facts, reference: '' })), /Reference/)
  })
  it('is small, has no script and asks for nothing', () => {
    assert.ok(page.length < 2000)
    assert.doesNotMatch(page, /<script|https?:|src=/)
  })
  it('escapes what it is given', () => {
    const hostile = String(renderPublicErrorPage({ ...facts, statusText: '<b>', reference: '"><b>' }))
    assert.doesNotMatch(hostile, /<b>/)
  })
})

it('builtInMaintenancePage: says in words what is going on, without a script or a form', () => {
  assert.match(pageText(builtInMaintenancePage), /back soon.*try again in a few minutes/)
  assert.match(builtInMaintenancePage, /<title>Maintenance<\/title>/)
  assert.doesNotMatch(builtInMaintenancePage, /<script|<form|https?:/)
})

it('quietPagePolicy: allows the style of both pages by its hash, and nothing else', () => {
  for (const page of [
    builtInMaintenancePage,
    String(renderPublicErrorPage({ statusCode: 500, statusText: 'x', reference: 'y' })),
  ]) {
    assert.ok(quietPagePolicy.includes(`style-src 'sha256-${hashOfStyle(page)}';`))
  }
  assert.match(quietPagePolicy, /^default-src 'none'/)
  assert.doesNotMatch(quietPagePolicy, /script-src|unsafe/)
})
