// How the Markdown of the documentation is drawn: the file of a code block above it, braces in code, links to files outside
// `docs/`, anchors.

import path from 'node:path'

interface Token {
  info: string
  type: string
  readonly content: string
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

interface Renderer {
  renderToken(tokens: Token[], index: number, options: unknown): string
}

type Rule = (tokens: Token[], index: number, options: unknown, env: unknown, self: Renderer) => string

/** The part of markdown-it that is used here. */
interface MarkdownIt {
  readonly renderer: { readonly rules: Record<string, Rule | undefined> }
  readonly utils: { escapeHtml(text: string): string }
}

/** What a mark of a code block is called above it. */
const labels: Readonly<Record<string, string>> = { output: 'Output' }

/** The anchor of a heading, as GitHub makes it: the files read the same there. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** Adds the rules. `repository` is the address of the sources on the web; empty while there is none. */
export function drawHouseMarkdown(markdown: MarkdownIt, repository: string): void {
  const { rules } = markdown.renderer
  const { fence, code_inline: code, link_open: open, link_close: close } = rules
  rules['fence'] = (tokens, index, ...rest) => {
    const token = tokens[index]
    if (token === undefined || fence === undefined) return ''
    const file = /\[(.+)\]/.exec(token.info)?.[1]
    const [language = '', ...marks] = token.info.replace(/\[.+\]/, '').split(' ')
    const label = file ?? marks.map((mark) => labels[mark]).find(Boolean)
    token.info = language
    const block = fence(tokens, index, ...rest)
    return label === undefined ? block : `<div class="titled"><p>${markdown.utils.escapeHtml(label)}</p>${block}</div>`
  }
  // `{{ name }}` in code is text, and no expression of Vue.
  rules['code_inline'] = (...given) => code?.(...given).replace('<code', '<code v-pre') ?? ''
  // A narrow window shows a row as a list, where each cell needs the title of its column.
  rules['td_open'] = (tokens, index, options, _env, self) => {
    const title = columnTitle(tokens, index)
    if (title !== '') tokens[index]?.attrSet('data-label', title)
    return self.renderToken(tokens, index, options)
  }
  const isOutside = (token: Token | undefined, env: unknown): string | undefined => {
    const href = token?.attrGet('href') ?? ''
    const page = (env as { readonly relativePath?: string }).relativePath ?? ''
    const target = path.posix.join('docs', path.posix.dirname(page), href)
    return href.startsWith('..') && !target.startsWith('docs/') ? target : undefined
  }
  let outside: string | undefined
  rules['link_open'] = (tokens, index, options, env, self) => {
    outside = isOutside(tokens[index], env)
    if (outside === undefined) return open?.(tokens, index, options, env, self) ?? ''
    return repository === '' ? '<span>' : `<a href="${repository}/blob/main/${outside}">`
  }
  rules['link_close'] = (tokens, index, options, env, self) => {
    if (outside === undefined) return close?.(tokens, index, options, env, self) ?? '</a>'
    outside = undefined
    return repository === '' ? '</span>' : '</a>'
  }
}

/** The title above a cell of a table; empty for the first column, which names the row. */
function columnTitle(tokens: readonly Token[], index: number): string {
  const table = tokens.slice(
    tokens.findLastIndex(({ type }, at) => type === 'table_open' && at < index),
    index,
  )
  const row = table.slice(table.findLastIndex(({ type }) => type === 'tr_open'))
  const column = row.filter(({ type }) => type === 'td_open').length
  const titles = table.flatMap(({ type }, at) => (type === 'th_open' ? [table[at + 1]?.content ?? ''] : []))
  return column === 0 ? '' : (titles[column] ?? '')
}
