// How the docs site draws what VitePress would take for something else.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { drawHouseMarkdown } from '../../site/markdown.ts'

it('keeps braces in code as they are written', () => {
  const renderer = { rules: { code_inline: () => '<code>{{ $name }}</code>' } }
  drawHouseMarkdown({ renderer, utils: { escapeHtml: (text) => text } }, '')
  assert.equal(renderer.rules.code_inline(), '<code v-pre>{{ $name }}</code>')
})

it('gives each cell of a table the title of its column, but for the first one', () => {
  const rules: Parameters<typeof drawHouseMarkdown>[0]['renderer']['rules'] = {}
  drawHouseMarkdown({ renderer: { rules }, utils: { escapeHtml: (text) => text } }, '')
  const titles: (string | undefined)[] = []
  const token = (type: string, content = '') => {
    const at = titles.push(undefined) - 1
    return { type, content, info: '', attrGet: () => null, attrSet: (_: string, title: string) => (titles[at] = title) }
  }
  const row = [token('tr_open'), token('td_open'), token('inline', 'a'), token('td_open'), token('inline', 'b')]
  const heads = [token('th_open'), token('inline', 'option'), token('th_open'), token('inline', 'default')]
  const tokens = [token('table_open'), token('tr_open'), ...heads, ...row]
  const drawn = tokens.map(({ type }, index) =>
    type === 'td_open' ? rules['td_open']?.(tokens, index, {}, {}, { renderToken: () => '<td>' }) : '',
  )
  assert.deepEqual(drawn.filter(Boolean), ['<td>', '<td>'])
  assert.deepEqual(
    titles.filter((title) => title !== undefined),
    ['default'],
  )
})
