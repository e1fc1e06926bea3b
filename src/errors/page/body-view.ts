// Draws the body of a request as far as it was captured, by its media type; where it was not, it says why and what would.

import { emptyState, formatBytes, keyValueTable } from '../../framework/html/components.ts'
import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import type { BodyContent, CapturedBody } from '../../framework/recording/captured-body.ts'
import { countOf, cutText } from './page-budget.ts'
import { verbatim } from './verbatim.ts'

const maxTextChars = 16_384
const maxFields = 100

/** The body, or a sentence in its place. */
export function bodyView(body: CapturedBody): SafeHtml {
  if (body.state !== 'kept') return emptyState(absence(body))
  return html`<p class="muted small">${bodySummary(body)}</p>
    ${body.content === null ? null : contentView(body.content)}`
}

/** `application/json, 120 of 400 bytes, not read to its end.` */
export function bodySummary(body: CapturedBody): string {
  const { mediaType, keptBytes, readBytes, declaredBytes, isComplete } = body
  const total = declaredBytes ?? readBytes
  const amount =
    keptBytes === total ? countOf(total, 'byte') : `${keptBytes.toLocaleString('en-GB')} of ${countBytes(total)}`
  const type = mediaType === '' ? 'No media type named' : mediaType
  return `${type}, ${amount}${isComplete ? '' : ', not read to its end'}.`
}

function countBytes(count: number): string {
  return `${count.toLocaleString('en-GB')} bytes`
}

function absence({ state, mediaType, declaredBytes }: CapturedBody): string {
  if (state === 'none') return 'The request has no body.'
  const size = declaredBytes === null ? '' : ` of ${formatBytes(declaredBytes)}`
  const what = `${mediaType === '' ? 'A body' : `A body of type ${mediaType}`}${size}`
  if (state === 'unread') return `${what}, not read by the handler.`
  if (state === 'no-route') return `${what}, which nobody read: no route took the request.`
  return `${what}, not captured. The route opts in by captureBody: true in its options.`
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
        { caption: 'Fields of the form', empty: 'The form has no fields.' },
      )}${missing > 0 ? html`<p class="note">${countOf(missing, 'more field')} left out.</p>` : null}`
    }
    case 'binary':
      return emptyState('Content of this type is not shown.')
  }
}

function codeBlock(text: string): SafeHtml {
  return html`<pre class="block">${cutText(text, maxTextChars)}</pre>`
}
