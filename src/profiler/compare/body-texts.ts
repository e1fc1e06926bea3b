// Takes the body of a request apart into names with texts, so that two of them can be compared field by field.

import type { StoredBody } from '../stored-data.ts'

/** Fields of one body that are compared at most. */
const maxFields = 300

/**
 * `type`, `bytes`, and what was captured: of JSON a text for each leaf (`items[0].sku`), of a form one for each field, else the
 * whole as `content`. Empty where the request had no body.
 */
export function bodyTexts(body: StoredBody | undefined): ReadonlyMap<string, string> {
  if (body === undefined || body.state === 'none') return new Map()
  const texts = new Map([
    ['type', body.mediaType === '' ? 'none was sent' : body.mediaType],
    ['bytes', String(body.readBytes)],
  ])
  const { content } = body
  if (content === null) texts.set('content', 'not captured')
  else if (content.kind === 'json') addLeaves(texts, 'content', content.value)
  else if (content.kind === 'form') for (const [name, value] of content.fields ?? []) addField(texts, name, value)
  else texts.set('content', content.kind === 'text' ? String(content.text) : 'not shown')
  return texts
}

function addLeaves(texts: Map<string, string>, path: string, value: unknown): void {
  if (texts.size >= maxFields) return
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    texts.set(path, JSON.stringify(value) ?? '')
    return
  }
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(value)) {
    const inner = isList ? `${path}[${key}]` : path === 'content' ? key : `${path}.${key}`
    addLeaves(texts, inner, member)
  }
}

/** A name that is there twice has both values. */
function addField(texts: Map<string, string>, name: string, value: string): void {
  if (texts.size >= maxFields) return
  const known = texts.get(name)
  texts.set(name, known === undefined ? value : `${known}\n${value}`)
}
