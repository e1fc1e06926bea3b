import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bodyView } from '../../../src/errors/page/request-section.ts'
import type { CapturedBody } from '../../../src/http/recording/captured-body.ts'
import { pageText } from '../../support/page-text.ts'

const kept = (facts: Partial<CapturedBody> = {}): CapturedBody => ({
  state: 'kept',
  mediaType: 'application/json',
  declaredBytes: 10,
  readBytes: 10,
  keptBytes: 10,
  isComplete: true,
  content: { kind: 'json', value: { a: [1] } },
  ...facts,
})
const textOf = (body: CapturedBody): string => pageText(String(bodyView(body)))

describe('bodyView', () => {
  it('lays out JSON', () => {
    const page = String(bodyView(kept()))
    assert.ok(page.includes('{\n  "a": [\n    1\n  ]\n}'), page)
    assert.ok(textOf(kept()).startsWith('application/json, 10 bytes.'))
  })

  it('lists the fields of a form', () => {
    const page = String(bodyView(kept({ content: { kind: 'form', fields: [['a<b', '<i>']] } })))
    assert.ok(page.includes('<table'))
    assert.ok(page.includes('a&lt;b') && page.includes('&lt;i&gt;'))
  })

  it('says how much of it was kept and whether it was read to its end', () => {
    const text = textOf(kept({ declaredBytes: 100_000, readBytes: 70_000, keptBytes: 65_536, isComplete: false }))
    assert.ok(text.startsWith('application/json, 65,536 of 100,000 bytes, not read to its end.'), text)
  })

  it('cuts a long text with a mark', () => {
    const page = String(bodyView(kept({ content: { kind: 'text', text: '<'.repeat(50_000) } })))
    assert.ok(page.length < 100_000)
    assert.match(page, /… \[\d+ more characters\]/)
  })

  it('says why there is nothing, and what would change that', () => {
    const none = { content: null, readBytes: 0, keptBytes: 0 }
    assert.equal(textOf(kept({ ...none, state: 'none' })), 'No body')
    assert.match(textOf(kept({ ...none, state: 'unread' })), /10 B\) was not read by the handler/)
    assert.match(textOf(kept({ ...none, state: 'off' })), /was not recorded: that needs captureBody: true on the route/)
    assert.match(textOf(kept({ ...none, state: 'no-route' })), /was not read: no route matched/)
    assert.match(textOf(kept({ content: { kind: 'binary' } })), /not shown/)
  })
})
