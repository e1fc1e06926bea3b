// The request: query, route parameters, headers, body. All data is masked already.

import { emptyState, fold, keyValueTable, formatBytes, formatCount } from '../../base/html/components.ts'
import { escapeText, html, type HtmlValue, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import type { BodyContent } from '../../http/recording/body-content.ts'
import { lackOf, type CapturedBody } from '../../http/recording/captured-body.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { ErrorView } from '../error-view.ts'
import { countOf, cutMark, PageBudget, verbatim } from '../../base/html/page-budget.ts'

const requestBytes = 60_000

type RequestFacts = Pick<ErrorView, 'query' | 'routeParameters' | 'requestHeaders' | 'body'>

/** What is empty is said in one line at the end. */
export function requestSection(facts: RequestFacts): SafeHtml {
  const budget = new PageBudget(requestBytes)
  const parameters = Object.entries(facts.routeParameters).map(([name, value]) => [name, valueText(value)] as const)
  const ofBrowser = facts.requestHeaders.filter(([name]) => saidOfItself.test(name))
  const isFolded = ofBrowser.length > 2
  const headers = facts.requestHeaders.filter((pair) => !isFolded || !ofBrowser.includes(pair))
  const tables = [
    ['Query', facts.query, 'No query string'],
    ['Route parameters', parameters, 'No route parameters'],
    ['Headers', headers, 'No headers'],
  ] as const
  const { body } = facts
  const absent: string[] = tables.filter(([, pairs]) => pairs.length === 0).map(([, , empty]) => empty)
  if (body?.state === 'none') absent.push('No body')
  return html`<div class="request">
    ${tables
      .filter(([, pairs]) => pairs.length > 0)
      .map(
        ([title, pairs]) =>
          html`<h3>${title}</h3>
            ${pairTable(title, pairs, budget)}`,
      )}
    ${isFolded ? fold(`${ofBrowser.length} headers of the browser`, pairTable('Headers of the browser', ofBrowser, budget), { className: 'small' }) : null}
    ${
      body === undefined || body.state === 'none'
        ? null
        : html`<h3>Body</h3>
            ${bodyView(body)}`
    }
    ${absent.length === 0 ? null : html`<p class="muted small absent">${absent.join(' · ')}</p>`}
  </div>`
}

/** Fields in which a browser says what it is, and why it asks. */
const saidOfItself = /^sec-(?:ch|fetch|gpc)/i

const rowBytes = 43

type Pair = readonly [name: string, value: string]

function pairTable(caption: string, pairs: readonly Pair[], budget: PageBudget): SafeHtml {
  const rows: [string, HtmlValue][] = []
  for (const [name, value] of pairs) {
    if (budget.isSpent) break
    const shownName = cutText(name, 300)
    rows.push([shownName, budget.spend(verbatim(value, 2048))])
    budget.take(rowBytes + Buffer.byteLength(escapeText(shownName)))
  }
  const missing = pairs.length - rows.length
  const mark = missing > 0 ? cutMark(`${countOf(missing, 'more row')} not shown: the page is full.`) : null
  return html`${rows.length === 0 && missing > 0 ? null : keyValueTable(rows, { caption })}${mark}`
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return 'cannot be shown'
  }
}

/** Comes after `themeStyles`. */
export const requestStyles: SafeHtml = styleSheet(`
.request h3 { margin: var(--space-4) 0 var(--space-2) }
.request p + :is(.block, .table), .request * + .absent { margin-top: var(--space-2) }
`)

const maxTextChars = 16_384
const maxFields = 100

export function bodyView(body: CapturedBody): SafeHtml {
  if (body.state !== 'kept') return emptyState(absence(body))
  return html`<p class="muted small">${bodySummary(body)}</p>
    ${body.content === null ? null : contentView(body.content)}`
}

/** `application/json, 120 of 400 bytes, not read to its end.` */
function bodySummary(body: CapturedBody): string {
  const { mediaType, keptBytes, readBytes, declaredBytes, isComplete } = body
  const total = declaredBytes ?? readBytes
  const amount =
    keptBytes === total ? countOf(total, 'byte') : `${formatCount(keptBytes)} of ${formatCount(total)} bytes`
  const type = mediaType === '' ? 'No media type' : mediaType
  return `${type}, ${amount}${isComplete ? '' : ', not read to its end'}.`
}

function absence({ state, mediaType, declaredBytes }: CapturedBody): string {
  if (state === 'none') return 'No body'
  const facts = [mediaType, declaredBytes === null ? '' : formatBytes(declaredBytes)].filter((fact) => fact !== '')
  const what = facts.length === 0 ? 'Body' : `Body (${facts.join(', ')})`
  return `${what} ${lackOf(state) ?? 'was not recorded.'}`
}

function contentView(content: BodyContent): SafeHtml {
  switch (content.kind) {
    case 'json':
      return codeBlock(JSON.stringify(content.value, null, 2))
    case 'text':
      return codeBlock(content.text)
    case 'form': {
      const shown = content.fields.slice(0, maxFields)
      const missing = content.fields.length - shown.length
      return html`${keyValueTable(
        shown.map(([name, value]) => [cutText(name, 300), verbatim(value, 2048)] as const),
        { caption: 'Form fields', empty: 'The form has no fields.' },
      )}${missing > 0 ? html`<p class="note">${countOf(missing, 'more field')} not shown.</p>` : null}`
    }
    case 'binary':
      return emptyState('Content of this type is not shown.')
  }
}

function codeBlock(text: string): SafeHtml {
  return html`<pre class="block">${cutText(text, maxTextChars)}</pre>`
}
