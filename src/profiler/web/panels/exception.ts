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
    const address = linkTo(profile.token, 'exception').replace('?', '.md?')
    return html`${headline(chain, {
        statusCode: profile.status,
        fallback: 'This error has no message.',
        beside: copyMenu({ address }),
        isTitle: false,
      })}
      <div class="tone-${statusTone(profile.status)}">
        ${traceList(chain, { ...chain, editor, isUnderHeadline: true })} ${valuesPart(chain)}
      </div>`
  },
}
