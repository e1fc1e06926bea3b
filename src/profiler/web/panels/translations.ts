// Draws the keys that were translated, those without a text first.

import { badge, dataTable, emptyState, fold } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, PageBudget } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'
import type { TranslationsData } from '../../collectors/translations.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'
import { figureRow } from './figures.ts'

const listBytes = 600_000

type Translation = TranslationsData['entries'][number]

export const translationsPanel: Panel<TranslationsData> = {
  name: 'translations',
  title: 'Translations',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const missing = withOutcome(entries, 'missing').length
    const hint = countOf(entries.length + dropped, 'key')
    if (missing > 0) return { count: missing, tone: 'warning', hint: `${missing} missing of ${hint}` }
    return { count: entries.length + dropped, tone: 'neutral', hint }
  },
  render: (data, { editor }) => {
    if (data === undefined) {
      return emptyState('Nothing was translated. Hand an instance of i18next over with observe().')
    }
    const { entries, dropped } = data
    const [missing, fallback, found] = outcomes.map((outcome) => withOutcome(entries, outcome))
    const budget = new PageBudget(listBytes)
    return html`${keptMark(entries.length, dropped, 'keys')}
    ${figureRow([
      [String(entries.length + dropped), 'Keys'],
      [String(missing?.length ?? 0), 'Missing'],
      [String(fallback?.length ?? 0), 'In another language'],
    ])}
    ${table('Missing and in another language', [...(missing ?? []), ...(fallback ?? [])], budget, editor)}
    ${
      found === undefined || found.length === 0
        ? null
        : fold(html`Found <span class="muted">${found.length}</span>`, table('Found', found, budget, editor))
    }`
  },
}

const outcomes = ['missing', 'fallback', 'found'] as const
const tones = { missing: 'error', fallback: 'warning', found: 'success' } as const

function withOutcome(entries: readonly Translation[], outcome: Translation['outcome']): readonly Translation[] {
  return entries.filter((entry) => entry.outcome === outcome)
}

function table(
  title: string,
  entries: readonly Translation[],
  budget: PageBudget,
  editor: EditorLink | undefined,
): SafeHtml {
  if (entries.length === 0) return emptyState('Every key has a text in the language that was asked for.')
  const row = ({ key, namespace, language, usedLanguage, outcome, callSite }: Translation): SafeHtml =>
    budget.spend(
      html`<tr>
        <td>
          <code>${key}</code>
          <span class="muted small"
            >${namespace}${callSite === null ? null : html` · ${placeLink(callSite, editor)}`}</span
          >
        </td>
        <td>${language ?? '–'}</td>
        <td>${badge(outcome, tones[outcome])} ${outcome === 'fallback' ? usedLanguage : null}</td>
      </tr> `,
    )
  const rest = (count: number): SafeHtml =>
    html`<tr>
      <td colspan="3">${countOf(count, 'more key')} not shown.</td>
    </tr>`
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="${title}">
    ${dataTable('translations', title, ['Key', 'Language', 'Text'], budget.list(entries, row, { rest }))}
  </div>`
}
