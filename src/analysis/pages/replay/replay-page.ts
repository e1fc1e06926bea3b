// `/_profiler/<token>/replay`: a form to send the request of a profile again, and what came back.

import { codeSpan } from '../../../base/markdown-text.ts'
import { isHttpError } from '../../../base/http/http-error.ts'
import type { QueryFields } from '../../../base/http/query.ts'
import type { Reply } from '../../../base/http/reply.ts'
import type { Exchange } from '../../../http/kernel/exchange.ts'
import type { Profile } from '../../../observe/profile.ts'
import { readNamedProfile } from '../../../profiles/query/named-profile.ts'
import { pathLine, profileTitle, requestLine, profileTone, statusMark } from '../../../profiles/profile-facts.ts'
import { missingText, type RepeatableRequest, type MissingValue } from '../../../profiles/repeatable-request.ts'
import { readReplayFields, type ReplayFields } from '../../replay/ask-replay.ts'
import { isSafe, replay, whatToSend, replayBlocks, replayMarkdown } from '../../replay/replay.ts'
import type { ReplayTools, ReplayRefusal, ReplayReport } from '../../replay/replay.ts'
import { ownAddress } from '../../replay/send-replay.ts'
import { pageForm } from '../../../pages/asked-part.ts'
import { heading } from '../../../pages/layout.ts'
import { fromStore, type PageAnswer, type PageTools, type ProfilerPage } from '../../../pages/profiler-page.ts'
import { profilerRedirect } from '../../../pages/profiler-reply.ts'
import { badge } from '../../../base/html/components.ts'
import { html, type SafeHtml, styleSheet } from '../../../base/html/html.ts'
import { cutText } from '../../../base/redact/cut-text.ts'
import { drawBlocks } from '../../../pages/draw-blocks.ts'
import { compareStyles, compareView, type ComparePlace } from '../compare/compare-page.ts'

interface ReplayForm {
  readonly token: string
  /** `null` if it cannot be sent again. */
  readonly request: RepeatableRequest | null
  readonly isSafe: boolean
  /** Send it back as `confirm`; `null` for a method that changes nothing. Valid once. */
  readonly confirm: string | null
  /** Why nothing was or can be sent; `null`: nothing is wrong. */
  readonly refused: ReplayRefusal | null
}

export const replayFormPage: ProfilerPage = async (exchange, tools) => {
  const found = await profileToReplay(exchange, tools)
  return 'profile' in found ? formAnswer(found, null, tools) : found
}

/** Sends, if the form says all that is needed. */
export const replayPage: ProfilerPage = async (exchange, tools) => {
  const found = await profileToReplay(exchange, tools)
  if (!('profile' in found)) return found
  const { profile, replays, request } = found
  const { typed, fields } = await sentFields(exchange)
  if ('reason' in fields) return formAnswer(found, fields, tools, typed)
  const { text, confirm, ...edits } = fields
  const order = {
    ...edits,
    token: profile.token,
    ...(text === undefined || text === shownBody(request) ? {} : { body: text }),
    isConfirmed: confirm !== undefined && replays.replays.forms.take(confirm) === profile.token,
  }
  const outcome = await fromStore(async () => replay(order, replays))
  return outcome.state === 'refused'
    ? formAnswer(found, outcome, tools, typed)
    : reportAnswer(outcome.report, exchange, tools)
}

interface Found {
  readonly profile: Profile
  readonly request: RepeatableRequest
  readonly replays: ReplayTools
}

/** The page of what is missing if there is no such profile, one that says why if it cannot be sent again. */
async function profileToReplay(
  { request, client }: Exchange,
  { options, missing, linkTo }: PageTools,
): Promise<Found | PageAnswer> {
  const token = String(request.params['token'] ?? '')
  const profile = await fromStore(async () => readNamedProfile(options.profiles, token))
  if (profile === undefined || options.replays === undefined) return missing
  const { profilerPath, profiles } = options
  const replays = { ...options.replays, profiles, profilerPath, address: ownAddress(client) }
  const found = whatToSend(profile, replays)
  const tools = { profile, replays }
  return 'reason' in found ? formAnswer({ ...tools, request: null }, found, { linkTo }) : { ...tools, request: found }
}

interface Sent {
  /** The fields of the form as they came, for the next one. */
  readonly typed: QueryFields
  readonly fields: ReplayFields | ReplayRefusal
}

async function sentFields({ request }: Exchange): Promise<Sent> {
  let typed = nothingTyped
  try {
    typed = await request.body.form()
    return { typed, fields: readReplayFields(typed) }
  } catch (error) {
    if (!(error instanceof RangeError) && !isHttpError(error)) throw error
    return { typed, fields: { reason: 'invalid', problem: error.message, missing: [] } }
  }
}

const nothingTyped: QueryFields = new Map()

/** As a text area shows it. */
function shownBody({ body }: RepeatableRequest): string {
  return body.state === 'there' ? body.text.replaceAll('\r\n', '\n') : ''
}

const statuses: Readonly<Record<ReplayRefusal['reason'], number>> = {
  gone: 404,
  invalid: 400,
  incomplete: 400,
  impossible: 409,
  elsewhere: 409,
  unconfirmed: 409,
  unreachable: 409,
}

/** `request`: `null` if it cannot be sent again. */
function formAnswer(
  { profile, request, replays }: Omit<Found, 'request'> & { readonly request: RepeatableRequest | null },
  refused: ReplayRefusal | null,
  { linkTo }: Pick<PageTools, 'linkTo'>,
  typed = nothingTyped,
): PageAnswer {
  const { token } = profile
  const isHarmless = isSafe(profile.method)
  const confirm = isHarmless || request === null ? null : replays.replays.forms.issue(token)
  const form: ReplayForm = { token, request, isSafe: isHarmless, confirm, refused }
  const problem = refused?.problem ?? null
  return {
    status: refused === null ? 200 : statuses[refused.reason],
    html: () => ({
      title: `Replay: ${profileTitle(profile)}`,
      headline: heading('Replay a request'),
      ...(request === null && { tone: 'warning' }),
      styles: [replayStyles],
      content: replayForm({ profile, request, confirm, problem, typed, linkTo }),
    }),
    json: () => form,
    markdown: () => (request === null ? `${codeSpan(problem ?? '')}\n` : formMarkdown(request, form)),
  }
}

function formMarkdown(request: RepeatableRequest, { isSafe: safe, refused }: ReplayForm): string {
  const { body, missing } = request
  const lines = [
    ...(refused === null ? [] : [codeSpan(refused.problem)]),
    `# Replay of ${codeSpan(requestLine(request))}`,
    safe ? 'Changes nothing; sent without a question.' : 'May change something; must be confirmed.',
    ...(missing.length === 0
      ? []
      : [`Must be given:\n\n${missing.map((one) => `- ${codeSpan(missingText(one))}`).join('\n')}`]),
    ...(body.state === 'missing' ? [codeSpan(body.reason)] : []),
  ]
  return `${lines.join('\n\n')}\n`
}

/** A replay is shown beside the recorded request. */
function reportAnswer(
  report: ReplayReport,
  { request }: Exchange,
  { options: { profilerPath }, linkTo }: PageTools,
): PageAnswer | Reply {
  const { of, run } = report
  const isHtml = pageForm(request.path, request.header('accept')) === 'html'
  if (isHtml && run.problem === null && run.token !== null) {
    return profilerRedirect(`${profilerPath}/compare?a=${run.token}&b=${of.token}`)
  }
  return {
    html: () => ({
      title: `Replay: ${profileTitle(of)}`,
      headline: heading('Replay'),
      styles: replayReportStyles,
      content: replayReportView(report, { profilerPath, linkTo }),
    }),
    json: () => report,
    markdown: () => replayMarkdown(report, { isCompared: true }),
  }
}

interface FormView extends Pick<ReplayForm, 'request' | 'confirm'>, Pick<PageTools, 'linkTo'> {
  readonly profile: Profile
  readonly problem: string | null
  /** What the fields hold at first: those of a form that was refused. */
  readonly typed: QueryFields
}

function replayForm(view: FormView): SafeHtml {
  const { profile, request, problem, linkTo } = view
  return html`<p class="replay-subject">
      ${badge(statusMark(profile), profileTone(profile))}
      <a class="mono" href="${linkTo(profile.token)}">${cutText(pathLine(profile), 300)}</a>
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
${typedIn('headers')}</textarea
      ><span class="muted small"
        >One per line. Each replaces the recorded header; without a value it is left out.</span
      ></label
    >
    <div class="row">
      <label class="row"><input type="checkbox" name="values" value="1" /> Record values of variables</label>
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
  const rows = text === '' ? 3 : 8
  // Browsers leave out the first line break.
  return html`<label
    >Body<textarea class="field mono" name="text" rows="${rows}" spellcheck="false">${`\n${text}`}</textarea
    >${note === '' ? null : html`<span class="muted small">${note}</span>`}</label
  >`
}

function replayReportView(report: ReplayReport, place: ComparePlace): SafeHtml {
  const { of, compared } = report
  return html`<p class="replay-subject">
      <a class="mono" href="${place.linkTo(of.token)}">${cutText(pathLine(of), 300)}</a>
    </p>
    ${drawBlocks(replayBlocks(report), 'replay', place)}
    ${
      compared === null
        ? null
        : html`<h2>Compared with the recorded request</h2>
            ${compareView(compared, place)}`
    }`
}

const replayStyles: SafeHtml = styleSheet(`
.replay-subject { margin-top: var(--space-6); overflow-wrap: anywhere }
main > h2 { margin: var(--space-6) 0 var(--space-2) }
.replay-form { display: grid; gap: var(--space-4); max-width: 50rem; margin-top: var(--space-4) }
.replay-form label { display: grid; gap: var(--space-1) }
.replay-form fieldset { display: grid; gap: var(--space-3); padding: var(--space-3) var(--space-4) var(--space-4); border: 1px solid var(--line); border-radius: var(--radius) }
.replay-form textarea { width: 100%; min-height: 3lh; height: auto; padding: var(--space-2); resize: vertical; font-size: var(--size-small) }
.replay-form .row { align-items: center }
.replay-form label.row { display: flex; flex-wrap: nowrap; align-items: center }
`)

/** Of a page with a comparison. */
const replayReportStyles: readonly SafeHtml[] = [replayStyles, compareStyles]
