// `/_profiler/<token>/replay`: a form to send the request of a profile again, and what came back.

import { codeSpan } from '../../../errors/markdown-text.ts'
import { isHttpError } from '../../../framework/http/http-error.ts'
import type { QueryFields } from '../../../framework/http/query.ts'
import type { Reply } from '../../../framework/http/reply.ts'
import type { Exchange } from '../../../framework/kernel/exchange.ts'
import type { Profile } from '../../profile.ts'
import { readNamedProfile } from '../../query/named-profile.ts'
import { profileTitle, requestLine } from '../../query/profile-facts.ts'
import { missingText, type RepeatableRequest } from '../../replay/repeatable-request.ts'
import { readReplayFields, type ReplayFields } from '../../replay/order-fields.ts'
import {
  isSafe,
  replay,
  whatToSend,
  type ReplayTools,
  type ReplayRefusal,
  type ReplayReport,
} from '../../replay/replay.ts'
import { replayMarkdown } from '../../replay/replay-markdown.ts'
import { ownAddress } from '../../replay/send-replay.ts'
import { pageForm } from '../asked-part.ts'
import { heading } from '../layout.ts'
import { fromStore, type PageAnswer, type PageTools, type ProfilerPage } from '../profiler-page.ts'
import { profilerRedirect } from '../profiler-reply.ts'
import { replayForm, replayReportStyles, replayReportView, replayStyles } from './replay-view.ts'

/** What can be sent again. */
export interface ReplayForm {
  readonly token: string
  /** `null` if it cannot be sent again. */
  readonly request: RepeatableRequest | null
  readonly isSafe: boolean
  /** Send it back as `confirm`; `null` for a method that changes nothing. Valid once. */
  readonly confirm: string | null
  /** Why nothing was or can be sent; `null`: nothing is wrong. */
  readonly refused: ReplayRefusal | null
}

/** The form. */
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
  return 'reason' in found ? impossible(profile, found, linkTo) : { profile, request: found, replays }
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

function impossible(profile: Profile, refused: ReplayRefusal, linkTo: PageTools['linkTo']): PageAnswer {
  const { problem } = refused
  const { token, method } = profile
  const form: ReplayForm = { token, request: null, isSafe: isSafe(method), confirm: null, refused }
  return {
    status: statuses[refused.reason],
    html: () => ({
      title: `Replay: ${profileTitle(profile)}`,
      headline: heading('Replay a request'),
      tone: 'warning',
      styles: [replayStyles],
      content: replayForm({ profile, request: null, confirm: null, problem, typed: nothingTyped, linkTo }),
    }),
    json: () => form,
    markdown: () => `${codeSpan(problem)}\n`,
  }
}

function formAnswer(
  { profile, request, replays }: Found,
  refused: ReplayRefusal | null,
  { linkTo }: PageTools,
  typed = nothingTyped,
): PageAnswer {
  const { token } = profile
  const confirm = isSafe(request.method) ? null : replays.replays.forms.issue(token)
  const form: ReplayForm = { token, request, isSafe: confirm === null, confirm, refused }
  const problem = refused?.problem ?? null
  return {
    status: refused === null ? 200 : statuses[refused.reason],
    html: () => ({
      title: `Replay: ${profileTitle(profile)}`,
      headline: heading('Replay a request'),
      styles: [replayStyles],
      content: replayForm({ profile, request, confirm, problem, typed, linkTo }),
    }),
    json: () => form,
    markdown: () => formMarkdown(request, form),
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

/** A single replay is shown beside the recorded request. */
function reportAnswer(
  report: ReplayReport,
  { request }: Exchange,
  { options: { profilerPath }, linkTo }: PageTools,
): PageAnswer | Reply {
  const { of, runs } = report
  const [run] = runs
  const isHtml = pageForm(request.path, request.header('accept')) === 'html'
  if (isHtml && runs.length === 1 && run?.problem === null && run.token !== null) {
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
