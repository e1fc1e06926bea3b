// `/_profiler/status`: how the profiler itself is doing, as HTML, JSON and Markdown.

import { cutText } from '../../../framework/redact/cut-text.ts'
import { columnLines, columnStyles, columnTable, type Column } from '../columns.ts'
import type { ProfilerPage } from '../profiler-page.ts'
import type { Fill, StatusSection } from './status-facts.ts'
import { statusFacts, fleetStyles, memberLines, membersTitle, memberTable } from './status-facts.ts'
import type { Surroundings } from './surroundings.ts'
import { environmentNameList, packageTable, readSurroundings, surroundingsStyles } from './surroundings.ts'
import { codeSpan } from '../../../errors/markdown-text.ts'
import type { RecorderStatus } from '../../sampling/recorder-status.ts'
import { emptyState, keyValueTable, note, section } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { pauseButton } from './pause-page.ts'
import type { LimitInForce } from '../../sampling/recording-rules.ts'

/** Missing if the controller has no source. */
export const statusPage: ProfilerPage = async (exchange, { options, missing }) => {
  const { status, projectRoot, recording, profilerPath } = options
  if (status === undefined) return missing
  const data = await status.read()
  const surroundings = projectRoot === undefined ? null : await readSurroundings(projectRoot, process.env)
  return {
    html: () => ({
      title: 'Profiler status',
      tone: statusFacts(data).problems.length === 0 ? 'neutral' : 'warning',
      content: html`${pauseButton(recording, profilerPath)}${statusContent(data, surroundings)}`,
      styles: statusStyles,
    }),
    json: () => ({ ...data, surroundings }),
    markdown: () => statusMarkdown(data, surroundings),
  }
}

/** One section after another; values are in code spans. */
export function statusMarkdown(status: RecorderStatus, surroundings: Surroundings | null = null): string {
  const { problems, fills, sections } = statusFacts(status)
  const members = status.store.stats === null ? [] : memberLines(status.store.stats, status)
  const list = (rows: readonly (readonly [string, string])[]): string =>
    rows.map(([name, value]) => `- ${name}: ${codeSpan(value)}`).join('\n')
  const parts = [
    '# Profiler status',
    ...(problems.length === 0 ? [] : [problems.map((problem) => `- ${codeSpan(problem)}`).join('\n')]),
    '## Store',
    list([['Place', status.store.name], ...fills.map(({ name, used, most }) => [name, `${used} of ${most}`] as const)]),
    ...sections.flatMap(({ title, rows }) => [`## ${title}`, list(rows)]),
    ...(members.length === 0 ? [] : [`## ${membersTitle}`, members.join('\n')]),
    '## Limits',
    columnLines(limitColumns, status.limits).join('\n'),
    ...(surroundings === null ? [] : surroundingsParts(surroundings)),
  ]
  return `${parts.join('\n\n')}\n`
}

function surroundingsParts({ packages, environmentNames }: Surroundings): readonly string[] {
  const versions = packages.map(({ name, version }) => `- ${codeSpan(name)}: ${codeSpan(version ?? 'not installed')}`)
  return [
    '## Packages',
    versions.length === 0 ? 'The application has no dependencies.' : versions.join('\n'),
    '## Environment variables, names only',
    environmentNames.map(codeSpan).join(', ') || 'none',
  ]
}

export function statusContent(status: RecorderStatus, surroundings: Surroundings | null = null): SafeHtml {
  const { problems, fills, sections } = statusFacts(status)
  const { store, limits } = status
  const table = columnTable(limitColumns, limits, { className: 'limits', caption: 'Limits, and where each comes from' })
  return html`${problems.map((problem) => note(cutText(problem, 1000)))}
    ${section(
      'store',
      'Store',
      html`<p class="mono">${cutText(store.name, 300)}</p>
        ${fills.length === 0 ? emptyState('The store cannot be read, so its size is unknown.') : html`<div class="fills">${fills.map(meter)}</div>`}`,
    )}
    <div class="status-sections">
      ${sections.map(factsPart)}
      ${surroundings === null ? null : section('packages', 'Packages', packageTable(surroundings))}
    </div>
    ${store.stats === null ? null : memberTable(store.stats, status)} ${section('limits', 'Limits', table)}
    ${surroundings === null ? null : section('environment', 'Environment variables', environmentNameList(surroundings))}`
}

function meter({ name, used, most, share }: Fill): SafeHtml {
  const tone = share >= 1 ? 'info' : 'neutral'
  return html`<div class="fill tone-${tone}">
    <span class="row spread"><b>${name}</b> <span>${used} of ${most}</span></span>
    <svg class="duration-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="lane" width="100" height="4" />
      <rect width="${(share * 100).toFixed(1)}" height="4" />
    </svg>
  </div> `
}

function factsPart({ title, rows, remark }: StatusSection): SafeHtml {
  return html`<section>
    <h2>${title}</h2>
    ${keyValueTable(rows, { caption: title })}
    ${remark === undefined ? null : html`<p class="muted small">${remark}</p>`}
  </section> `
}

const limitColumns: readonly Column<LimitInForce>[] = [
  { title: 'Limit', text: ({ name }) => name },
  { title: 'Value', text: ({ value }) => value },
  { title: 'From', text: ({ from }) => from, cell: ({ from }) => html`<code>${cutText(from, 100)}</code>` },
]

const statusStyles: readonly SafeHtml[] = [
  surroundingsStyles,
  fleetStyles,
  columnStyles('limits', '40rem'),
  styleSheet(`
main > .note, .pause { margin-top: var(--space-4) }
.fills { display: grid; gap: var(--space-3); max-width: 40rem; margin-top: var(--space-3) }
.fill .duration-bar { height: 6px }
.fill.tone-neutral rect:not(.lane) { fill: var(--muted) }
.status-sections { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: var(--space-6) var(--space-8); align-items: start; margin: var(--space-6) 0 }
.status-sections h2 { margin-top: 0 }
.status-sections p { margin-top: var(--space-2) }
.status-sections .facts th { font-family: inherit; font-weight: 400; width: 62% }
main > section:last-child { margin-bottom: var(--space-8) }
@media (max-width: 40rem) {
  .status-sections .facts { display: table }
  .status-sections .facts tbody { display: table-row-group }
  .status-sections .facts tr { display: table-row }
  .status-sections .facts :is(th, td) { display: table-cell; padding-block: var(--space-1) !important; width: auto; vertical-align: top; overflow-wrap: break-word }
  .status-sections .facts th { width: 62% }
  .status-sections .facts tr + tr td { border-top: 1px solid var(--line) !important }
}
`),
]
