// Draws what was thrown: the chain of errors as on the error page.

import type { ExplainedChain } from '../../../errors/value-origin.ts'
import { emptyState } from '../../../framework/html/components.ts'
import { html } from '../../../framework/html/html.ts'
import { countErrors, traceList } from '../../../errors/page/trace-list.ts'
import { verbatim, countOf } from '../../../errors/page/page-budget.ts'
import type { Panel } from '../panel.ts'

export const exceptionPanel: Panel<ExplainedChain> = {
  name: 'exception',
  title: 'Exception',
  badge: (chain) => ({ count: countErrors(chain), tone: 'error', hint: countOf(countErrors(chain), 'error') }),
  render: (chain, { editor }) => {
    const message = chain?.errors[0]?.message
    if (chain === undefined || message === undefined) return emptyState('Nothing was thrown during this request.')
    const size = message.length > 240 ? 'long' : 'short'
    return html`<p class="headline-message ${size}">
        ${message === '' ? html`<span class="muted">This error has no message.</span>` : verbatim(message, 8192)}
      </p>
      ${traceList(chain, { editor })}`
  },
}
