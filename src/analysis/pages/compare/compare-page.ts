// `/_profiler/compare?a=<token>&b=<token|median>`: a permalink; asks for a side that is missing.

import { codeSpan } from '../../../base/markdown-text.ts'
import { html, type SafeHtml, styleSheet } from '../../../base/html/html.ts'
import { parseQuery } from '../../../base/http/query.ts'
import { countOf } from '../../../base/html/page-budget.ts'
import { runAgain, runAgainScript } from '../../../errors/page/buttons.ts'
import { mask } from '../../../base/redact/rules.ts'
import { cutText, quoted } from '../../../base/redact/cut-text.ts'
import {
  readComparison,
  type ComparedSide,
  type ReadComparison,
  compareBlocks,
  compareMarkdown,
  equalBlocks,
  sideBlocks,
  type Compared,
} from '../../compare/compare.ts'
import { runTypeOf, tokenPattern, type ProfileSummary } from '../../../observe/profile.ts'
import { NotedReads } from '../../../profiles/profile-store.ts'
import { pathLine, profileTitle, statusMark } from '../../../profiles/profile-facts.ts'
import { heading } from '../../../pages/layout.ts'
import type { PageNotes } from '../../../pages/notes.ts'
import { fromStore, type PageAnswer, type PageTools, type ProfilerPage } from '../../../pages/profiler-page.ts'
import { profilerRedirect } from '../../../pages/profiler-reply.ts'
import { readValues, unknownNames } from '../../../pages/query-values.ts'
import { drawBlocks, wideStyles, type BlockView } from '../../../pages/draw-blocks.ts'
import { formatDuration, formatTime } from '../../../base/html/components.ts'

const offered = 15

/** Reads, compares, draws. 404 that names the side whose profile is not there. */
export const comparePage: ProfilerPage = async ({ request }, tools) => {
  const query = parseQuery(request.rawQuery)
  const { profilerPath } = tools.options
  const { misspelt, foreign: ignored } = unknownNames(query, ['a', 'b', 'with'])
  const problems = [...misspelt]
  const given = readValues(query, { a: 'A', b: 'B' }, problems)
  // What the checkboxes of the list send.
  const ticked = query.get('with') ?? []
  const [newer, older] = ticked
  if (ticked.length > 2) problems.push(`${ticked.length} profiles are selected. Select two.`)
  else if (newer !== undefined && older !== undefined && tokenPattern.test(newer) && tokenPattern.test(older)) {
    return profilerRedirect(`${profilerPath}/compare?a=${newer}&b=${older}`)
  }
  const a = given.get('a') || (newer ?? '')
  const b = given.get('b') ?? ''
  if (b === '' && a !== '' && a !== 'latest' && !tokenPattern.test(a)) {
    problems.push(`A: ${quoted(a)} is not valid. Use a token of 10 to 16 letters and digits, or latest.`)
  }
  if (a === '' || b === '' || problems.length > 0) return await choice(a, { problems, ignored }, tools)
  const reads = new NotedReads(tools.options.profiles)
  const read = await fromStore(async () => readComparison(reads, a, b))
  return comparisonAnswer(read, { ignored, missing: reads.missing }, tools)
}

function comparisonAnswer(
  read: ReadComparison,
  { ignored = [], missing }: PageNotes,
  { options: { profilerPath, editor }, linkTo }: PageTools,
): PageAnswer {
  if (read.state === 'missing') {
    const { problem } = read
    return {
      status: 404,
      problems: [problem],
      ignored,
      missing,
      html: () => ({
        title: 'Nothing to compare',
        tone: 'warning',
        content: html`<p><a href="${profilerPath}/">All profiles</a></p>`,
        styles: [compareStyles],
      }),
      json: () => ({ error: problem, missing, ignored }),
      markdown: () => '',
    }
  }
  return {
    ignored,
    missing,
    html: () => ({
      title: `Comparison: ${sideTitle(read.a)} with ${sideTitle(read.b)}`,
      headline: heading('Compare profiles'),
      content: compareView(read, { profilerPath, linkTo, editor }),
      styles: [compareStyles],
      scripts: [runAgainScript],
    }),
    json: () => ({ a: read.a, b: read.b, ...read.comparison, missing, ignored }),
    markdown: () => compareMarkdown(read),
  }
}

/** For a row of tabs: `200 GET /orders`, `the median of 42 others`. */
function sideTitle(side: ComparedSide): string {
  return side.kind === 'profile' ? profileTitle(side.summary) : `the median of ${countOf(side.count, 'other')}`
}

/** Asks for the other side: a token, the median, or one of the newest of the same route. */
async function choice(a: string, { problems = [], ignored = [] }: PageNotes, tools: PageTools): Promise<PageAnswer> {
  const { options } = tools
  const { profiles, profilerPath } = options
  const profile = tokenPattern.test(a) ? await fromStore(async () => profiles.read(a)) : undefined
  const route = profile?.route ?? undefined
  const { items, missing } = await fromStore(async () =>
    profiles.find(route === undefined ? {} : { route }, { limit: offered + 1 }),
  )
  const others = items.filter(({ token }) => token !== a)
  return {
    problems,
    ignored,
    missing,
    html: () => ({
      title: 'Compare profiles',
      content: compareChoice(a, route !== undefined, others, profilerPath),
      styles: [compareStyles],
    }),
    json: () => ({
      a: a === '' ? null : a,
      b: null,
      others: others.map(({ token }) => token),
      missing,
      problems,
      ignored,
    }),
    markdown: () =>
      `Name two profiles: ${codeSpan(`${profilerPath}/compare.md?a=<token>&b=<token>`)}, or ${codeSpan('b=median')}.\n`,
  }
}

function compareChoice(
  a: string,
  hasRoute: boolean,
  others: readonly ProfileSummary[],
  profilerPath: string,
): SafeHtml {
  const isToken = tokenPattern.test(a)
  return html`<form class="compare-form" action="${profilerPath}/compare">
      <p class="muted">
        Select two rows of <a href="${profilerPath}/">the list</a>, or enter two tokens. Enter <code>median</code> as
        the second to compare with the other requests to the same route. To compare everything before and after a
        change, <a href="${profilerPath}/runs">compare two runs</a>.
      </p>
      <label
        >Profile: a token <input class="field mono" name="a" value="${a.slice(0, 40)}" required autocomplete="off"
      /></label>
      <label>Compared with: a token, or median <input class="field mono" name="b" required autocomplete="off" /></label>
      <p class="row">
        <button class="button">Compare</button>
        ${isToken && hasRoute && others.length > 0 ? html`<a class="button" href="${profilerPath}/compare?a=${a}&b=median">Compare with this route’s median</a>` : null}
      </p>
    </form>
    ${
      others.length > 0
        ? html`<h2>${isToken ? `Other requests${hasRoute ? ' to this route' : ''}` : 'Recent profiles'}</h2>
            <ul class="compare-others">
              ${others.map(
                (other) =>
                  html`<li>
                    <a class="mono" href="${profilerPath}/compare?${isToken ? `a=${a}&b=` : 'a='}${other.token}"
                      >${cutText(pathLine(other), 200)}</a
                    >
                    <span class="muted small"
                      >${statusMark(other)}, ${formatDuration(other.durationMs)}, ${formatTime(other.time)} UTC</span
                    >
                  </li> `,
              )}
            </ul>`
        : null
    }`
}

export interface ComparePlace extends BlockView {
  readonly profilerPath: string
}

export function compareView(compared: Compared, place: ComparePlace): SafeHtml {
  const { a, b, comparison } = compared
  const { differenceCount, sections } = comparison
  return html`<div class="compare-sides">${drawBlocks(sideBlocks(compared), 'side', place)}</div>
    <p class="row spread compare-state">
      <b>${countOf(differenceCount, 'change')}</b>
      ${a.kind === 'profile' && b.kind === 'profile' ? html`<a class="button screen-only" href="${place.profilerPath}/compare?a=${b.summary.token}&b=${a.summary.token}">Swap</a>` : null}
    </p>
    ${offerValues(compared, place)}
    ${drawBlocks([...compareBlocks(compared), ...equalBlocks(sections)], 'difference', place)}`
}

/** Runs both again with values where a browser can; else it leads to the form of each, which asks first. */
function offerValues({ a, b, comparison: { parting } }: Compared, { linkTo }: ComparePlace): SafeHtml | null {
  if (parting !== null && parting.state !== 'missing') return null
  if (a.kind !== 'profile' || b.kind !== 'profile') return null
  const sides = [b.summary, a.summary]
  if (sides.some(({ method }) => runTypeOf(method) !== undefined)) return null
  if (sides.every(({ method, url }) => method === 'GET' && !url.includes(mask))) {
    return runAgain([a.summary.url, b.summary.url], 'Run both again with values', 'code', 'code')
  }
  const links = sides.map(({ token }, index) => {
    return html` <a href="${linkTo(token)}/replay">${index === 0 ? 'first' : 'second'}</a>`
  })
  return html`<p class="muted small screen-only">
    Run both again with values and compare those, for the first line where they part:${links}
  </p>`
}

export const compareStyles: SafeHtml = html`${wideStyles}${styleSheet(`
.compare-sides .block-columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)) }
.compare-sides section { padding: var(--space-3) var(--space-4); overflow-wrap: anywhere; min-width: 0; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius) }
.compare-sides ul { display: grid; gap: var(--space-1) }
.compare-state { margin: var(--space-4) 0 0 }
.compare-state ~ h2 { margin: var(--space-6) 0 var(--space-3) }
.compare-state ~ ul { display: grid; gap: var(--space-1); margin-top: var(--space-3); overflow-wrap: anywhere }
.stacked .name { font: 400 .86em var(--mono); overflow-wrap: anywhere }
.stacked .number { white-space: normal }
.compare-form { display: grid; gap: var(--space-3); max-width: 40rem; margin: var(--space-6) 0 }
.compare-form label { display: grid; gap: 2px }
`)}`
