// Draws what was thrown: message, chain, source and what explains it, as on the error page.

import { copyMenu } from '../../../errors/page/copy-buttons.ts'
import { headline } from '../../../errors/page/headline.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import { valuesPart } from '../../../errors/page/side-column.ts'
import { countErrors, traceList } from '../../../errors/page/trace-list.ts'
import type { ExplainedChain } from '../../../errors/value-origin.ts'
import { emptyState, statusTone } from '../../../framework/html/components.ts'
import { html } from '../../../framework/html/html.ts'
import type { Panel } from '../panel.ts'

export const exceptionPanel: Panel<ExplainedChain> = {
  name: 'exception',
  title: 'Exception',
  badge: (chain) => ({ count: countErrors(chain), tone: 'error', hint: countOf(countErrors(chain), 'error') }),
  render: (chain, { editor, profile, linkTo }) => {
    if (chain === undefined || chain.errors.length === 0) return emptyState('Nothing was thrown during this request.')
    const link = linkTo(profile.token, 'exception')
    // A profile in a file has neither script nor server: there its links are anchors.
    const copy = link.startsWith('#') ? null : copyMenu({ address: link.replace('?', '.md?') })
    return html`${headline(chain, {
        statusCode: profile.status,
        fallback: 'This error has no message.',
        beside: copy,
        isTitle: false,
      })}
      <div class="with-side tone-${statusTone(profile.status)}">
        ${traceList(chain, { ...chain, editor, isUnderHeadline: true })}
        <div class="side">${valuesPart(chain)}</div>
      </div>`
  },
}
