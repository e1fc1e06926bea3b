// The built-in panels, in the order of the menu.

import { emptyState, fold, formatCount, statusTone } from '../../base/html/components.ts'
import type { DescribedPart } from '../../observe/blocks/described-part.ts'
import { drawBlocks, blockStyles } from '../../pages/draw-blocks.ts'
import type { Panel } from '../../pages/panel.ts'
import { copyMenu, runAgain, type MeasuredAgain, runAgainScript } from '../../errors/page/buttons.ts'
import { headline } from '../../errors/page/headline.ts'
import { countOf } from '../../base/html/page-budget.ts'
import { valuesPart } from '../../errors/page/side-column.ts'
import { countErrors, traceList } from '../../errors/page/trace-list.ts'
import type { ExplainedChain } from '../../errors/value-origin.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { access } from '../../capture/activities/access.ts'
import { libraryParts } from '../../capture/parts.ts'
import { describedParts } from '../parts.ts'
import { profileHeader } from '../../http/recording/recording.ts'
import { mask } from '../../base/redact/rules.ts'
import type { Profile } from '../../observe/profile.ts'
import { curlCommand, repeatableRequest } from '../../profiles/repeatable-request.ts'
import type { RanCode } from '../../observe/ran-code.ts'
import type { CpuData, MemoryData } from '../../observe/collectors/functions.ts'
import { cpuPart, memoryPart, processMemory } from '../../profiles/measured-parts.ts'
import { flameGraph, flameScript, flameStyles } from '../../pages/panels/flame-graph.ts'
import { codeBlocks, codePart } from '../../ran/code-part.ts'
import { type RouterData, routerPart } from '../../observe/collectors/request.ts'
import { databasePanel } from '../../pages/panels/database.ts'
import { loggerPanel } from '../../pages/panels/logger.ts'
import { requestPanel } from '../../pages/panels/request.ts'
import { timePanel, shareStyles } from '../../pages/panels/time.ts'
import { traceStyles } from '../../errors/page/error-page-styles.ts'
import { logFilterScript, logFilterStyles, logStyles } from '../../errors/page/log.ts'
import type { PanelAssets } from '../../pages/profiler-page.ts'
import { callStyles } from '../../pages/panels/call-bar.ts'
import { timelineStyles, timelineScript } from '../../pages/panels/timeline-bars.ts'
import { followScript, valueStyles } from '../../pages/panels/value-view.ts'

export function describedPanel<Data>({ empty, draw, noun = 'entry', of, ...part }: DescribedPart<Data>): Panel<Data> {
  return {
    ...part,
    ...(of !== undefined && { of }),
    render: (data, view) =>
      data === undefined
        ? emptyState(typeof empty === 'string' ? empty : empty(view.profile))
        : drawBlocks(draw(data, view.profile), noun, { ...view, panel: part.name }),
  }
}

/** With the button that runs the request again. */
function measured<Data>(part: DescribedPart<Data>, measured: MeasuredAgain, title: string): Panel<Data> {
  const panel = describedPanel(part)
  return {
    ...panel,
    render: (data, view) => html`${panel.render(data, view)} ${measureAgain(view.profile, measured, title)}`,
  }
}

/** `panel` shows what is measured; the value of the field is its name. Nothing for what cannot be sent again. */
function measureAgain(profile: Profile, panel: MeasuredAgain, title: string): SafeHtml | null {
  const repeatable = repeatableRequest(profile)
  if (repeatable.state === 'impossible') return null
  const { request } = repeatable
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== profileHeader)
  const asking = { ...request, headers: [...headers, [profileHeader, panel] as const] }
  const canFetch = request.method === 'GET' && !profile.url.includes(mask)
  return html`<h3>${title}</h3>
    ${canFetch ? runAgain([profile.url], 'Run again', panel, panel) : null}
    ${fold('cURL', html`<pre class="block mono" tabindex="0" aria-label="cURL command">${curlCommand(asking)}</pre>`)}`
}

const functions = measured(cpuPart, 'cpu', 'Replay with a CPU profile')
const allocations = measured(memoryPart, 'memory', 'Replay with allocation sampling')

const code = measured(codePart, 'code', 'Run again with values')
/** Lines of a request of which all are drawn at once. */
const maxCodeLines = 200

const codePanel: Panel<RanCode> = {
  ...code,
  parameters: ['lines'],
  render: (data, view) => {
    const lines = data?.calls.reduce((sum, call) => sum + (data.functions[call.function]?.source.length ?? 0), 0) ?? 0
    // A file has no addresses.
    const isWhole = lines <= maxCodeLines || view.values?.get('lines') !== ''
    if (data === undefined || isWhole) return code.render(data, view)
    return html`${drawBlocks(codeBlocks(data, view.profile, false), 'call', view)}
      <p>
        <a class="button" href="${view.linkTo(view.profile.token, 'code')}&lines=all"
          >All ${formatCount(lines)} lines</a
        >
      </p>
      ${measureAgain(view.profile, 'code', 'Run again with values')}`
  },
}

export const cpuPanel: Panel<CpuData> = {
  ...functions,
  render: (data, view) =>
    html`${data === undefined || data.samples === 0 ? null : flameGraph(data)} ${functions.render(data, view)}`,
}

export const memoryPanel: Panel<MemoryData> = {
  ...allocations,
  showsWithout: (profile) => processMemory(profile).length > 0,
  render: (data, view) =>
    html`${drawBlocks(processMemory(view.profile), 'fact', view)}
      <h3>Allocations</h3>
      ${allocations.render(data, view)}`,
}

const routing = describedPanel(routerPart)

/** With the link that tries the request again. */
const routerPanel: Panel<RouterData> = {
  ...routing,
  render: (data, view) => {
    const { method, url } = view.profile
    const again = new URLSearchParams({ method, url }).toString()
    return html`${routing.render(data, view)}
    ${data === undefined ? null : html`<p class="panel-links"><a href="${view.linkTo('routes')}?${again}">Try this request in the route table</a></p>`}`
  },
}

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

/** Each draws the data of the collector of its name; the profile keeps that pairing. */
export const builtInPanels: readonly Panel[] = [
  requestPanel,
  exceptionPanel,
  ...described('findings', 'browser'),
  codePanel,
  ...described('passed'),
  timePanel,
  cpuPanel,
  memoryPanel,
  loggerPanel,
  ...described('events'),
  routerPanel,
  ...described('session', 'access', 'http-client'),
  databasePanel,
  ...libraryParts.filter(({ name }) => name !== access.name).map(describedPanel),
  ...described('dump', 'config', 'command', 'job', 'task'),
]

function described(...names: readonly string[]): readonly Panel[] {
  return names.flatMap((name) => describedParts.get(name) ?? []).map(describedPanel)
}

const assets: ReadonlyMap<string, PanelAssets> = new Map<string, PanelAssets>([
  ['exception', { styles: traceStyles }],
  ['time', { styles: [logStyles, logFilterStyles, timelineStyles, shareStyles], scripts: [timelineScript] }],
  ['logger', { styles: [logStyles, logFilterStyles], scripts: [logFilterScript] }],
  ['database', { styles: [callStyles, blockStyles] }],
  ...[...describedParts.keys()].map(
    (name) => [name, { styles: [callStyles, valueStyles, blockStyles], hasFrames: name === 'mail' }] as const,
  ),
  ['cpu', { styles: [blockStyles, timelineStyles, flameStyles], scripts: [flameScript, runAgainScript] }],
  ['memory', { styles: [blockStyles], scripts: [runAgainScript] }],
  ['code', { styles: [callStyles, valueStyles, blockStyles], scripts: [runAgainScript, followScript] }],
  ['router', { styles: [blockStyles] }],
])

/** What the page of a panel needs beyond the theme; nothing for panels of plugins. */
export function panelAssets(name: string | undefined): PanelAssets {
  return assets.get(name ?? '') ?? { styles: [] }
}

/** For a page of many panels. */
export const everyPanelStyle: readonly SafeHtml[] = [...new Set([...assets.values()].flatMap(({ styles }) => styles))]
