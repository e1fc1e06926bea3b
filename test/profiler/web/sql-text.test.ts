// SQL as the panel shows it: formatted, coloured, and never at the cost of the page.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sqlText } from '../../../src/pages/panels/sql-text.ts'
import { pageText } from '../../support/page-text.ts'
import { processorMs } from '../../support/processor-time.ts'

const query =
  'select p.name, count(*) from products p join shops s on s.id = p.shop_id where p.price > ? order by p.name'

describe('sqlText', () => {
  it('breaks long queries into lines, and colours them', () => {
    const markup = String(sqlText(query, 'sqlite'))
    assert.match(markup, /^<i class="t-kwd">select<\/i> p\.name,\n {2}/)
    assert.match(markup, /\n<i class="t-kwd">from<\/i> products p\n {2}<i class="t-kwd">join<\/i>/)
    assert.equal(pageText(markup).replace(/\s/g, ''), query.replace(/\s/g, ''))
  })

  it('keeps short queries on their line, and what is not SQL as it is', () => {
    assert.equal(pageText(sqlText('SELECT ? AS one', 'postgresql')), 'SELECT ? AS one')
    assert.equal(String(sqlText(`GET ${'select from where '.repeat(20)}`, 'redis')).includes('<i'), false)
  })

  it('takes no time over hostile text, and lets none of it leave its place', async () => {
    const hostile = [
      '(',
      'select (',
      'case when ',
      'between ',
      ',',
      'a.',
      '[',
      "'",
      '"',
      '/*',
      '<script>',
      ')',
      'union ',
    ]
    for (const part of hostile) {
      const text = part.repeat(5000).slice(0, 4096)
      let markup = ''
      const ms = await processorMs(() => (markup = String(sqlText(text, 'mysql'))))
      assert.ok(ms < 1000, `${part}: ${ms} ms of the processor`)
      assert.ok(markup.length < 250_000, `${part}: ${markup.length}`)
      assert.doesNotMatch(markup, /<script/)
    }
  })
})
