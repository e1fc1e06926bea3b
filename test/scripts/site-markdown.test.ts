// How the docs site draws what VitePress would take for something else.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { drawHouseMarkdown } from '../../site/markdown.ts'

it('keeps braces in code as they are written', () => {
  const renderer = { rules: { code_inline: () => '<code>{{ $name }}</code>' } }
  drawHouseMarkdown({ renderer, utils: { escapeHtml: (text) => text } }, '')
  assert.equal(renderer.rules.code_inline(), '<code v-pre>{{ $name }}</code>')
})
