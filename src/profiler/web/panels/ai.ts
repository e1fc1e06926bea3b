// Draws the calls to language models: which model, how many tokens, how long, what it cost.

import { badge, emptyState, fold, formatCount, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { placeLink } from '../../../errors/page/editor-link.ts'
import { countOf, cutMark, PageBudget } from '../../../errors/page/page-budget.ts'
import type { Activities, Happening } from '../../activities/activity.ts'
import type { AiFacts } from '../../activities/ai-facts.ts'
import { keptMark } from '../notes.ts'
import type { Panel, PanelView } from '../panel.ts'
import { callBar } from './call-bar.ts'
import { figureRow } from './figures.ts'

const listBytes = 500_000

type AiCall = AiFacts & Happening

export const aiPanel: Panel<Activities<AiFacts>> = {
  name: 'ai',
  title: 'AI',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const failed = entries.filter(({ error }) => error !== null).length
    const hint = countOf(entries.length + dropped, 'call')
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} failed of ${hint}` }
    return { count: entries.length + dropped, tone: 'neutral', hint }
  },
  render: (data, view) => {
    if (data === undefined) {
      return emptyState(
        'No language model was called. Captured: ai 7 or newer, and requests to OpenAI-compatible APIs.',
      )
    }
    const { entries, dropped } = data
    const budget = new PageBudget(listBytes)
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more call')} not shown.`)
    return html`${keptMark(entries.length, dropped, 'calls')} ${figureRow(figures(data))}
    ${budget.list(entries, (call) => budget.spend(callCard(call, view)), { rest })}`
  },
}

function figures({ entries, dropped }: Activities<AiFacts>): readonly (readonly [string, string])[] {
  const models = entries.filter(({ operation }) => operation !== 'tool')
  const sum = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((all, one) => all + (one ?? 0), 0)
  const tools = entries.length - models.length
  const currencies = new Set(models.flatMap(({ cost, currency }) => (cost === null ? [] : [currency ?? ''])))
  const costs = [...currencies].map((currency) => {
    const own = models.filter((call) => call.cost !== null && (call.currency ?? '') === currency)
    return [money(sum(own.map(({ cost }) => cost)), currency), 'Cost'] as const
  })
  return [
    [formatCount(models.length + dropped), 'Model calls'],
    ...(tools === 0 ? [] : [[formatCount(tools), 'Tools run'] as const]),
    [formatCount(sum(models.map(({ inputTokens }) => inputTokens))), 'Input tokens'],
    [formatCount(sum(models.map(({ outputTokens }) => outputTokens))), 'Output tokens'],
    [formatDuration(sum(models.map(({ durationMs }) => durationMs))), 'Total time'],
    ...costs,
  ]
}

/** `0.00123 USD`: three digits that say something. */
function money(amount: number, currency: string): string {
  return `${amount === 0 ? '0' : Number(amount.toPrecision(3)).toFixed(Math.max(2, 2 - Math.floor(Math.log10(amount))))} ${currency}`.trim()
}

function callCard(call: AiCall, { profile, editor }: PanelView): SafeHtml {
  const { operation, model, durationMs, error, firstOutputMs, callSite, toolCalls, prompt, answer } = call
  return html`<article class="card outgoing-call">
    <h3 class="outgoing-head">
      ${verdict(call)} <span>${operation}</span> <span class="mono url">${model === '' ? 'unknown model' : model}</span>
      <span class="outgoing-time">${durationMs === null ? 'not ended' : formatDuration(durationMs)}</span>
    </h3>
    ${callBar({ ...call, waitMs: 0, firstByteMs: firstOutputMs }, profile.durationMs)}
    <p class="muted small">${facts(call)}${callSite === null ? null : html` · ${placeLink(callSite, editor)}`}</p>
    ${error === null ? null : html`<p class="note tone-error">${error}</p>`}
    ${
      toolCalls.length === 0
        ? null
        : html`<p class="small">Asked for tools: <span class="mono">${toolCalls.join(', ')}</span></p>`
    }
    ${operation === 'tool' ? html`${textFold('Input', prompt)} ${textFold('Result', answer)}` : html`${textFold('Prompt', prompt)} ${textFold('Response', answer)}`}
  </article> `
}

function verdict({ error, durationMs }: AiCall): SafeHtml | null {
  if (error !== null) return badge('failed', 'error')
  return durationMs === null ? badge('not ended', 'warning') : null
}

function facts(call: AiCall): string {
  const { startMs, provider, library, responseModel, model, isStreamed, firstOutputMs, finishReason, cost } = call
  const known = [
    `+${formatDuration(startMs)}`,
    provider,
    library === provider ? null : library,
    responseModel === model ? null : responseModel,
    isStreamed ? 'streamed' : null,
    firstOutputMs === null ? null : `response after ${formatDuration(firstOutputMs)}`,
    tokens(call),
    finishReason === null ? null : `ended with ${finishReason}`,
    cost === null ? null : money(cost, call.currency ?? ''),
  ]
  return known.filter((fact) => fact !== null && fact !== '').join(' · ')
}

function tokens({ operation, inputTokens, cachedTokens, outputTokens }: AiCall): string | null {
  if (operation === 'tool') return null
  if (inputTokens === null && outputTokens === null) return 'tokens unknown'
  const cached = cachedTokens === null || cachedTokens === 0 ? '' : `, ${formatCount(cachedTokens)} cached`
  const sides = [
    inputTokens === null ? null : `${formatCount(inputTokens)} tokens in${cached}`,
    outputTokens === null ? null : `${formatCount(outputTokens)} out`,
  ]
  return sides.filter((side) => side !== null).join(', ')
}

function textFold(title: string, text: string | null): SafeHtml | null {
  if (text === null || text === '') return null
  return fold(title, html`<pre class="block mono statement" tabindex="0" aria-label="${title}">${text}</pre>`)
}
