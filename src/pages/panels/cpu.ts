// Draws which functions a request spent its time in; if no CPU profile was taken, says how to get one.

import { badge, columnHead, dataTable, emptyState, formatDuration } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import type { EditorLink } from '../../http/config/editor-link.ts'
import { countOf, PageBudget } from '../../base/html/page-budget.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { CpuData } from '../../observe/collectors/cpu.ts'
import type { Profile } from '../../observe/profile.ts'
import type { Panel, PanelView } from '../panel.ts'
import { flameGraph, functionTimes, type FunctionTime, functionLink } from './flame-graph.ts'
import { measureAgain } from './measure-again.ts'

const tableBytes = 200_000
const maxFunctions = 60
/** Milliseconds below which a function's own time is too short to be shown. */
const leastSelfMs = 0.005
/** Below so many samples a picture says little. */
const fewSamples = 10

export const cpuPanel: Panel<CpuData> = {
  name: 'cpu',
  title: 'Flame graph',
  of: 'requests',
  render: (data, view) => (data === undefined ? howToAsk(view.profile) : drawn(data, view)),
}

function drawn(data: CpuData, { profile, editor }: PanelView): SafeHtml {
  const { samples, ownMs, othersMs, startTookMs, stopTookMs } = data
  if (samples === 0) {
    return html`${emptyState('This request was too fast for the profile, which samples every millisecond.')}
    ${measureAgain(profile, 'cpu', 'Replay with a CPU profile')}`
  }
  return html`<p>
      ${formatDuration(ownMs)} on the CPU, ${countOf(samples, 'sample')} at 1
      ms.${samples < fewSamples ? html` <b>So few samples only hint at where the time went.</b>` : null}
    </p>
    ${othersMs < 1 ? null : html`<p class="note tone-info">${formatDuration(othersMs)} of other requests excluded.</p>`}
    ${flameGraph(data)}
    <h3>By function</h3>
    ${functionTable(functionTimes(data), ownMs, editor)}
    <p class="muted small">
      Profiling blocked the process for ${formatDuration(startTookMs)} before the handler and for
      ${formatDuration(stopTookMs)} after the response. Code runs slower while it is profiled.
    </p>
    ${measureAgain(profile, 'cpu', 'Replay with a CPU profile')}`
}

/** Functions that used time themselves, and those of own code; others, which only called them, are counted. */
function functionTable(all: readonly FunctionTime[], ownMs: number, editor: EditorLink | undefined): SafeHtml {
  const budget = new PageBudget(tableBytes)
  const times = all.filter(({ selfMs, called }) => selfMs >= leastSelfMs || called.origin === 'own')
  const callers = all.length - times.length
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="4" class="muted">${countOf(missing, 'more function')} not shown.</td>
    </tr>`
  return html`${dataTable(
    'functions',
    'Functions by self time',
    [columnHead('Self', 'number'), columnHead('Total', 'number'), 'Function', columnHead('Origin', 'owner')],
    budget.list(times, (time) => budget.spend(functionRow(time, ownMs, editor)), { rest, maxItems: maxFunctions }),
  )}
  ${callers === 0 ? null : html`<p class="muted small">${countOf(callers, 'function')} of Node and dependencies without self time not shown.</p>`}`
}

function functionRow(
  { called, selfMs, totalMs }: FunctionTime,
  ownMs: number,
  editor: EditorLink | undefined,
): SafeHtml {
  const share = ownMs > 0 ? Math.round((selfMs / ownMs) * 100) : 0
  return html`<tr>
    <td class="number">${formatDuration(selfMs)} <span class="muted small">${share} %</span></td>
    <td class="number">${formatDuration(totalMs)}</td>
    <td class="name">${cutText(called.name, 200)} ${functionLink(called, editor)}</td>
    <td class="owner">
      ${called.origin === 'own' ? badge('your code', 'success') : html`<span class="muted">${called.origin}</span>`}
    </td>
  </tr> `
}

function howToAsk(profile: Profile): SafeHtml {
  return html`${emptyState('No CPU profile yet. Record one by replaying this request.')}
  ${measureAgain(profile, 'cpu', 'Replay with a CPU profile')}`
}
