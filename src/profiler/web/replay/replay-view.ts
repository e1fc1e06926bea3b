// Draws the form of a replay, and its report.

import { badge, columnHead, dataTable, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { QueryFields } from '../../../framework/http/query.ts'
import type { Profile } from '../../profile.ts'
import { numberText, unitOf } from '../../query/compare-markdown.ts'
import { profileTone, requestLine, statusMark } from '../../query/profile-facts.ts'
import type { MissingValue, RepeatableRequest } from '../../replay/repeatable-request.ts'
import { maxReplays, type ReplayReport, type ReplayRun, type ReplaySpread } from '../../replay/replay.ts'
import { compareStyles, compareView } from '../compare/compare-view.ts'

interface FormView {
  readonly profile: Profile
  /** `null` if it cannot be sent again. */
  readonly request: RepeatableRequest | null
  /** Ticket for a method that may change something. */
  readonly confirm: string | null
  readonly problem: string | null
  /** What the fields hold at first: those of a form that was refused. */
  readonly typed: QueryFields
  readonly linkTo: (token: string) => string
}

export function replayForm(view: FormView): SafeHtml {
  const { profile, request, problem, linkTo } = view
  return html`<p class="replay-subject">
      ${badge(statusMark(profile), profileTone(profile))}
      <a class="mono" href="${linkTo(profile.token)}">${cutText(requestLine(profile), 300)}</a>
    </p>
    ${problem === null ? null : html`<p class="note tone-warning" role="alert">${problem}</p>`}
    ${request === null ? null : fields(request, view)}`
}

function fields(request: RepeatableRequest, { profile: { token }, confirm, typed, linkTo }: FormView): SafeHtml {
  const { method, host, missing } = request
  const typedIn = (name: string): string | undefined => typed.get(name)?.[0]
  return html`<form class="replay-form" method="post" action="${linkTo(token)}/replay" autocomplete="off">
    ${
      confirm === null
        ? null
        : html`<p class="note tone-warning"><b>${method}</b> may change something in the application.</p>
            <input type="hidden" name="confirm" value="${confirm}" />`
    }
    ${missingFields(missing, typedIn)} ${bodyField(request, typedIn('text'))}
    <label
      >Other headers<textarea
        class="field mono"
        name="headers"
        rows="2"
        spellcheck="false"
        placeholder="Accept: application/json"
      >
${`\n${typedIn('headers') ?? ''}`}</textarea
      ><span class="muted small"
        >One per line. Each replaces the recorded header; without a value it is left out.</span
      ></label
    >
    <div class="row">
      <label class="replay-times"
        >Times<input
          class="field"
          type="number"
          name="times"
          value="${typedIn('times') ?? '1'}"
          min="1"
          max="${maxReplays}"
      /></label>
      <button class="button">Send ${method} again</button>
      <span class="muted small">Sends to ${host}.</span>
    </div>
  </form>`
}

/** A header once, all cookies in one field, each parameter once. */
function missingFields(missing: readonly MissingValue[], typedIn: TypedIn): SafeHtml | null {
  const named = (place: MissingValue['place']): readonly string[] => [
    ...new Set(missing.filter((one) => one.place === place).map(({ name }) => name)),
  ]
  const cookies = named('cookie')
  const inputs = [
    ...named('header').map((name) => field(`header:${name}`, name, '', typedIn)),
    ...(cookies.length === 0
      ? []
      : [field('header:Cookie', 'Cookie', cookies.map((name) => `${name}=…`).join('; '), typedIn)]),
    ...named('query').map((name) => field(`query:${name}`, `?${name}`, '', typedIn)),
  ]
  if (inputs.length === 0) return null
  return html`<fieldset>
    <legend>Masked when recorded</legend>
    ${inputs}
    <p class="muted small">Headers without a value are left out.</p>
  </fieldset>`
}

/** The value of a field of the form when it was refused. */
type TypedIn = (name: string) => string | undefined

function field(name: string, label: string, hint: string, typedIn: TypedIn): SafeHtml {
  return html`<label
    ><span class="mono">${label}</span
    ><input
      class="field mono"
      name="${name}"
      value="${typedIn(name)}"
      placeholder="${hint}"
      autocomplete="off"
      spellcheck="false"
  /></label> `
}

function bodyField({ body, missing }: RepeatableRequest, typed: string | undefined): SafeHtml | null {
  if (body.state === 'none') return null
  const masked = missing.filter(({ place }) => place === 'body').map(({ name }) => name)
  const note =
    body.state === 'missing'
      ? body.reason
      : masked.length === 0
        ? ''
        : `Fill in masked values: ${masked.join(', ') || 'the end of the body'}.`
  const text = typed ?? (body.state === 'there' ? body.text : '')
  return html`<label
    >Body<textarea class="field mono" name="text" rows="8" spellcheck="false">${`\n${text}`}</textarea
    >${note === '' ? null : html`<span class="muted small">${note}</span>`}</label
  >`
}

export function replayReportView(
  { of, runs, spread, compared }: ReplayReport,
  place: { readonly profilerPath: string; readonly linkTo: (token: string) => string },
): SafeHtml {
  return html`<p class="replay-subject">
      ${badge(statusMark(of), profileTone(of))}
      <a class="mono" href="${place.linkTo(of.token)}">${cutText(requestLine(of), 300)}</a>
      <b>${formatDuration(of.durationMs)}</b>
    </p>
    ${
      spread.length === 0
        ? null
        : html`<h2 class="replay-part">Spread</h2>
            ${spreadTable(spread)}`
    }
    <h2 class="replay-part">Replays</h2>
    ${dataTable(
      'replay-runs',
      'Replays',
      ['Status', columnHead('Duration', 'number'), 'Profile'],
      runs.map((run) => runRow(run, place)),
    )}
    ${
      compared === null
        ? null
        : html`<h2 class="replay-part">Compared with the recorded request</h2>
            ${compareView(compared, place)}`
    }`
}

function runRow(
  { token, status, durationMs, problem }: ReplayRun,
  { linkTo }: { readonly linkTo: (token: string) => string },
): SafeHtml {
  return html`<tr>
    <td>${badge(status ?? 'no response', profileTone({ status: status ?? 0 }))}</td>
    <td class="number">${formatDuration(durationMs)}</td>
    <td>${token === null ? null : html`<a class="mono" href="${linkTo(token)}">${token}</a>`} ${problem}</td>
  </tr> `
}

function spreadTable(spread: readonly ReplaySpread[]): SafeHtml {
  const heads = ['', ...['Least', 'Median', 'p95', 'Most', 'Recorded'].map((title) => columnHead(title, 'number'))]
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Spread">
    ${dataTable('replay-spread', 'Spread of the replays', heads, spread.map(spreadRow))}
  </div>`
}

function spreadRow({ name, least, median, p95, most, recorded }: ReplaySpread): SafeHtml {
  const unit = unitOf(name, { label: '', unit: 'count' })
  return html`<tr>
    <th scope="row">${name.replace(/, ms$/, '')}</th>
    ${[least, median, p95, most].map((value) => html`<td class="number">${numberText(value, unit)}</td>`)}
    <td class="number">${recorded === null ? '–' : numberText(recorded, unit)}</td>
  </tr> `
}

export const replayStyles: SafeHtml = styleSheet(`
.replay-subject { margin-top: var(--space-6); overflow-wrap: anywhere }
.replay-part { margin: var(--space-6) 0 var(--space-2) }
.replay-spread th[scope=row] { white-space: nowrap }
.replay-runs { width: auto; min-width: min(100%, 30rem) }
.replay-form { display: grid; gap: var(--space-4); max-width: 50rem; margin-top: var(--space-4) }
.replay-form label { display: grid; gap: var(--space-1) }
.replay-form fieldset { display: grid; gap: var(--space-3); padding: var(--space-3) var(--space-4) var(--space-4); border: 1px solid var(--line); border-radius: var(--radius) }
.replay-form textarea { width: 100%; min-height: 3lh; height: auto; padding: var(--space-2); resize: vertical; font-size: var(--size-small) }
.replay-form .row { align-items: end }
.replay-form label.row { display: flex; flex-wrap: nowrap; align-items: center }
.replay-times .field { width: 5rem }
`)

/** Of a page with a comparison. */
export const replayReportStyles: readonly SafeHtml[] = [replayStyles, compareStyles]
