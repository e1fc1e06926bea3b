import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import { html } from '../../../src/framework/html/html.ts'
import { quietPagePolicy, renderQuietPage } from '../../../src/errors/page/quiet-page.ts'

it('quietPagePolicy: allows the styles of the page and no others', () => {
  const page = renderQuietPage('Title', html`<p>Text</p>`).toString()
  const styles = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? ''
  const hash = createHash('sha256').update(styles).digest('base64')
  assert.match(quietPagePolicy, /style-src '[^ ]+';/)
  assert.equal(/'sha256-([^']+)'/.exec(quietPagePolicy)?.[1], hash)
})
