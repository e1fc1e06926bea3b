// The one large text of the error page: the outermost message, and under it where it was thrown and what caused it.

import { statusTone } from '../../framework/html/components.ts'
import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import type { ErrorView } from '../error-view.ts'
import type { ErrorChain, Frame } from '../flattened-error.ts'
import { framePlace } from './frame-item.ts'
import { countOf, cutText } from './page-budget.ts'
import { verbatim } from './verbatim.ts'

const maxCauses = 5

/** Class, message, place and causes; each clue links to its error below. */
export function headline(view: ErrorView): SafeHtml {
  const outermost = view.chain.errors[0]
  const message = outermost?.message || `Error ${view.statusCode} ${view.statusText}`
  const size = message.length > 240 ? 'long' : 'short'
  return html`<section class="headline tone-${statusTone(view.statusCode)}" id="message" tabindex="-1">
    ${outermost === undefined ? null : html`<p class="headline-class mono">${cutText(outermost.className, 200)}</p>`}
    <h1 class="${size}">${verbatim(message, 8192)}</h1>
    ${clues(view.chain)}
  </section>`
}

function clues(chain: ErrorChain): SafeHtml | null {
  const total = chain.errors.length
  const place = placeOf(chain)
  const causes = chain.errors
    .slice(1, 1 + maxCauses)
    .map((error, index) =>
      clue('caused by', total - 1 - index, html`${cutText(error.className, 120)}: ${cutText(error.message, 200)}`),
    )
  if (place === null && causes.length === 0) return null
  const missing = total - 1 - causes.length
  return html`<dl class="clues">
    ${place}${causes}${
      missing > 0
        ? html`<dt></dt>
            <dd class="muted">${countOf(missing, 'more cause')}</dd>`
        : null
    }
  </dl>`
}

// The outermost error may carry no own code, as one of fetch: then the cause that does says where.
function placeOf(chain: ErrorChain): SafeHtml | null {
  const total = chain.errors.length
  for (const [index, { frames }] of chain.errors.entries()) {
    const own = frames.find(({ origin }) => origin === 'own')
    if (own !== undefined) return clue('at', total - index, frameText(own))
  }
  const first = chain.errors[0]?.frames[0]
  return first === undefined ? null : clue('at', total, frameText(first))
}

function frameText(frame: Frame): SafeHtml {
  const place = html`<code>${framePlace(frame)}</code>`
  return frame.functionName === null ? place : html`${cutText(frame.functionName, 200)} ${place}`
}

function clue(term: string, number: number, content: SafeHtml): SafeHtml {
  return html`<dt>${term}</dt>
    <dd><a href="#error-${number}">${content}</a></dd>`
}
