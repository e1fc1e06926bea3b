// Draws the routes page: a form to try a request, problems, every route.

import { fold, note } from '../base/html/components.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import { styleSheet } from '../base/html/style-sheet.ts'
import { countOf } from '../base/html/page-budget.ts'
import type { EditorLink } from '../http/config/editor-link.ts'
import { narrowFold } from './form-parts.ts'
import type {
  RouteFacts,
  RouteFinding,
  RouteTrial,
  RouteTrialProblem,
  UnusedRoutes,
} from '../profiles/query/route-table.ts'
import { askedBlocks, faultBlocks, routeBlocks, trialBlocks } from '../profiles/query/route-words.ts'
import { drawBlocks } from './draw-blocks.ts'

export interface RoutesPageView {
  readonly routes: readonly RouteFacts[]
  readonly count: number
  readonly filter: string
  readonly problems: readonly RouteFinding[]
  /** How routes that were never hit were looked for; `null`: all routes are shown. */
  readonly unused: Pick<UnusedRoutes, 'profiles' | 'isCut'> | null
  /** What was typed; empty without a trial. */
  readonly typed: { readonly method: string; readonly url: string }
  /** `null` if nothing is tried. */
  readonly trial: RouteTrial | RouteTrialProblem | null
  /** Parameters without a meaning, one sentence each. */
  readonly ignored: readonly string[]
}

const usualMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

interface RoutesPagePlace {
  readonly profilerPath: string
  /** Makes links that open a place in the reader's editor. Default: none. */
  readonly editor?: EditorLink | undefined
  /** Whether routes that were not added can be looked for. */
  readonly asksSkipped: boolean
}

export function routesView(view: RoutesPageView, place: RoutesPagePlace): SafeHtml {
  const { profilerPath } = place
  return html`<section aria-labelledby="try">
      <h2 id="try" class="wide-title">Try a request</h2>
      ${narrowFold('Try a request', view.trial !== null, html`${trialForm(view, profilerPath)} ${trialPart(view, place)}`)}
    </section>
    ${place.asksSkipped ? skippedForm(profilerPath) : null} ${faults(view, profilerPath)}
    <section aria-labelledby="table">
      <h2 id="table">All routes</h2>
      ${filterForm(view, profilerPath)} ${table(view, place)}
    </section>`
}

function trialForm({ typed, filter, routes }: RoutesPageView, profilerPath: string): SafeHtml {
  const methods = new Set([...usualMethods, ...routes.flatMap((route) => route.methods), typed.method.toUpperCase()])
  const option = (method: string): SafeHtml =>
    method === typed.method.toUpperCase()
      ? html`<option selected>${method}</option> `
      : html`<option>${method}</option> `
  return html`<form class="row try-form" action="${profilerPath}/routes">
    <label class="try-method"
      ><span class="visually-hidden">Method</span
      ><select class="field mono" name="method">
        ${[...methods].map(option)}
      </select></label
    >
    <label class="try-url"
      ><span class="visually-hidden">URL or path</span
      ><input
        class="field mono"
        name="url"
        value="${typed.url}"
        placeholder="/path or https://host/path?query"
        autocomplete="off"
        spellcheck="false"
    /></label>
    ${filter === '' ? null : html`<input type="hidden" name="filter" value="${filter}" />`}
    <button class="button">Try</button>
  </form>`
}

function trialPart({ trial }: RoutesPageView, { profilerPath, editor }: RoutesPagePlace): SafeHtml {
  if (trial === null)
    return html`<p class="muted small">
      Shows which route matches, or what would match instead. Nothing is sent and no handler runs.
    </p>`
  if (isTrialProblem(trial)) return html`<p class="note tone-error" role="alert">${trial.problem}</p>`
  return trialResult(trial, profilerPath, editor)
}

function skippedForm(profilerPath: string): SafeHtml {
  return html`<form class="row screen-only" method="post" action="${profilerPath}/routes">
    <button class="button">Look for routes that were not added</button>
    <span class="muted small">Starts the application once more, in a process that does not listen.</span>
  </form>`
}

/** The JSON has all of them. */
function faults({ problems }: RoutesPageView, profilerPath: string): SafeHtml | null {
  if (problems.length === 0) return null
  const view = { linkTo: (page: string) => `${profilerPath}/${page}` }
  const rest = problems.length - maxFaults
  return html`<section>
    ${drawBlocks(faultBlocks(problems.slice(0, maxFaults)), 'fault', view)}
    ${rest > 0 ? note(`${countOf(rest, 'more fault')} not shown.`) : null}
  </section>`
}

const maxFaults = 100

function filterForm({ filter, typed, trial, unused }: RoutesPageView, profilerPath: string): SafeHtml {
  return html`<form class="row route-filter screen-only" action="${profilerPath}/routes">
    <label class="visually-hidden" for="filter">Filter routes by any text of their row</label>
    <input
      class="field"
      id="filter"
      type="search"
      name="filter"
      value="${filter}"
      placeholder="Name, path, handler …"
    />
    ${
      trial === null
        ? null
        : html`<input type="hidden" name="method" value="${typed.method}" /><input
              type="hidden"
              name="url"
              value="${typed.url}"
            />`
    }
    <label class="row"
      >${unused === null ? html`<input type="checkbox" name="unused" value="1" />` : html`<input type="checkbox" name="unused" value="1" checked />`}
      Never hit</label
    >
    <button class="button">Filter</button>
    ${filter === '' && unused === null ? null : html`<a class="button" href="${profilerPath}/routes">Clear</a>`}
  </form>`
}

function table({ routes, count, filter, unused }: RoutesPageView, { profilerPath, editor }: RoutesPagePlace): SafeHtml {
  const view = { linkTo: (page: string) => `${profilerPath}/${page}`, editor }
  return html`${drawBlocks(routeBlocks(routes, { all: count, part: filter, unused }), 'route', view)}
  ${routes.length < count || count === 0 ? null : html`<p class="muted small route-count">${countOf(count, 'route')}, in matching order.</p>`}`
}

export const routesPageStyles: SafeHtml = styleSheet(`
.try-form { margin-bottom: var(--space-3); flex-wrap: nowrap }
.try-form .field { width: 100%; min-height: 2.25rem }
.try-form .button { min-height: 2.25rem }
.try-url { flex: 1; min-width: 0 }
.narrow-fold h2 { margin: var(--space-4) 0 var(--space-2) }
.trial-trace { margin-top: var(--space-4) }
.trial-trace > summary { color: var(--muted); font-size: var(--size-small); margin-bottom: var(--space-2) }
.try-again { margin-top: var(--space-3) }
main > section > .note + .table { margin-top: var(--space-3) }
.route-filter { margin-bottom: var(--space-3) }
.route-filter .field { width: 20rem }
.route-count { margin: var(--space-2) 0 var(--space-8) }
@media (max-width: 40rem) {
  .try-form { flex-wrap: wrap }
  .try-url { flex-basis: 100%; order: -1 }
  .try-method { flex: 1 }
  .route-filter .field { width: auto; flex: 1; min-width: 0 }
}
`)

function trialResult(trial: RouteTrial, profilerPath: string, editor: EditorLink | undefined): SafeHtml {
  const view = { linkTo: (page: string) => `${profilerPath}/${page}`, editor }
  const [title, ...asked] = askedBlocks(trial, Infinity)
  const isOwn = trial.path === profilerPath || trial.path.startsWith(`${profilerPath}/`)
  return html`${drawBlocks(trialBlocks(trial), 'route', view)}
  ${trial.route === null && isOwn ? note('This path belongs to the profiler, whose routes are not listed.') : null}
  ${fold(title?.kind === 'heading' ? title.text : '', drawBlocks(asked, 'route', view), { className: 'trial-trace' })}`
}

export function isTrialProblem(trial: RoutesPageView['trial']): trial is RouteTrialProblem {
  return trial !== null && 'problem' in trial
}
