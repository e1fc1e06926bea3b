// The small pages of one profile: how a database would run a query, the HTML of a mail, what a browser says of the page, and whether
// the source of an error has changed.

import * as v from 'valibot'
import { codeBlock } from '../base/markdown-text.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import type { QueryPlan } from '../observe/outgoing/query-plans.ts'
import { readPart, readPartAs, type StoredChain } from '../profiles/stored-data.ts'
import { fromStore, type ProfilerPage } from './profiler-page.ts'
import { callStyles } from './panels/call-bar.ts'
import { sqlText } from './panels/sql-text.ts'
import { profilerDownload, profilerForeignMarkup, profilerJson, profilerTaken } from './profiler-reply.ts'
import { HttpError } from '../base/http/http-error.ts'
import { maxReportBytes } from '../observe/browser/browser-data.ts'
import { stat } from 'node:fs/promises'
import { mayShowSource } from '../errors/source-files.ts'
import { parseQuery } from '../base/http/query.ts'
import { tokenForm } from './asked-part.ts'

/** For a query that the profile does not have: the page of a missing profile. */
export const explainPage: ProfilerPage = async ({ request }, { options, linkTo, missing }) => {
  const token = String(request.params['token'] ?? '')
  const profile = await fromStore(async () => options.profiles.read(token))
  const part = profile === undefined ? undefined : readPart(profile, 'database')
  const query = part?.state === 'there' ? part.data.groups[Number(request.params['group'])] : undefined
  if (query === undefined || options.plans === undefined) return missing
  const plan = await options.plans.plan(query)
  return {
    html: () => ({
      title: 'Query plan',
      styles: [callStyles],
      content: html`<p><a href="${linkTo(token, 'database')}">Back to the queries</a></p>
        <article class="card outgoing-call"><pre class="statement">${sqlText(query.text, query.system)}</pre></article>
        <h2>Plan</h2>
        ${drawn(plan)}`,
    }),
    json: () => plan,
    markdown: () => `# Query plan\n\n${codeBlock(query.text, 'sql')}\n\n${codeBlock(textOf(plan), '')}\n`,
  }
}

function drawn(plan: QueryPlan): SafeHtml {
  if ('problem' in plan) return html`<p class="note tone-warning">${plan.problem}</p>`
  return html`<pre class="block" tabindex="0" aria-label="Plan">${textOf(plan)}</pre>
    <p class="muted small">Asked of the database now; the query was not run. Values are not kept.</p>`
}

function textOf(plan: QueryPlan): string {
  return 'problem' in plan ? plan.problem : plan.steps.join('\n')
}

const content = v.fallback(v.nullable(v.object({ source: v.nullable(v.string()) })), null)
const line = v.fallback(v.nullable(v.string()), null)
const list = v.fallback(v.array(v.string()), [])
const kept = v.object({ html: content, text: content, from: line, to: list, cc: list, subject: line, messageId: line })
const stored = v.object({ entries: v.array(kept) })

/** Its HTML, or, as `0.eml`, what was recorded of it as a message. For a mail without HTML: the page of a missing profile. */
export const mailPage: ProfilerPage = async ({ request }, { options, missing }) => {
  const token = String(request.params['token'] ?? '')
  const [index = '', form] = String(request.params['mail']).split('.')
  const profile = await fromStore(async () => options.profiles.read(token))
  const part = profile === undefined ? undefined : readPartAs(profile, 'mail', stored)
  const mail = part?.state === 'there' ? part.data.entries[Number(index)] : undefined
  if (profile !== undefined && mail !== undefined && form !== undefined)
    return profilerDownload(messageOf(mail, profile.time), 'message/rfc822', `mail-${token}-${index}.eml`)
  const source = mail?.html?.source ?? null
  return source === null ? missing : profilerForeignMarkup(`${opening}${withoutLinks(source)}`)
}

/** RFC 5322. Attachments were not recorded. */
function messageOf(mail: v.InferOutput<typeof kept>, time: number): string {
  // Base64 has no underscore.
  const boundary = '_fanlight_'
  const lines = Object.entries({
    Date: new Date(time).toUTCString().replace('GMT', '+0000'),
    From: mail.from,
    To: mail.to.join(', '),
    Cc: mail.cc.join(', '),
    Subject: mail.subject,
    'Message-ID': mail.messageId,
    'MIME-Version': '1.0',
    'Content-Type': `multipart/alternative; boundary="${boundary}"`,
  }).flatMap(([name, value]) => (value ? [`${name}: ${fieldOf(value)}`] : []))
  for (const [type, part] of Object.entries({ plain: mail.text, html: mail.html })) {
    if (part === null || part.source === null) continue
    const head = [`--${boundary}`, `Content-Type: text/${type}; charset=utf-8`, 'Content-Transfer-Encoding: base64']
    lines.push('', ...head, '', base64(part.source).replace(/.{76}(?=.)/g, '$&\r\n'))
  }
  return [...lines, '', `--${boundary}--`, ''].join('\r\n')
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** In encoded words (RFC 2047), which have 75 characters at most, unless it is plain. */
function fieldOf(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value
  return value.replaceAll(/.{1,10}/gsu, (piece) => `=?utf-8?B?${base64(piece)}?=\r\n `).trimEnd()
}

/** Links ask for a new window, which the sandbox refuses: they lead nowhere. */
const opening = '<!doctype html><base target="_blank">'

/** A policy does not keep every browser from connecting to what a `<link rel="preconnect">` names. */
function withoutLinks(markup: string): string {
  return markup.replace(/<link/gi, '<x-link')
}

/** 204, or `{ error }` with a status that says why the report was not kept. */
export const reportPage: ProfilerPage = async ({ request }, { options, missing }) => {
  const { browserReports } = options
  if (browserReports === undefined) return missing
  let text: string
  try {
    request.body.limitTo(maxReportBytes)
    text = await request.body.text()
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return profilerJson(error.statusCode, { error: error.message })
  }
  const token = request.params['token']
  const reporter = {
    ip: request.clientAddress,
    userAgent: request.header('user-agent') ?? '',
    host: request.authority,
  }
  const taken = await fromStore(async () =>
    browserReports.take(token === undefined ? null : String(token), text, reporter),
  )
  return taken.problem === undefined ? profilerTaken() : profilerJson(taken.status, { error: taken.problem })
}

const maxFiles = 60

/**
 * JSON: `stamp` changes with each own file of the recorded traces, and with each start of the application; asked for with `?newest=1`,
 * `newest` changes with each profile.
 */
export const changesPage: ProfilerPage = async ({ request }, { options, missing, madeAtMs }) => {
  const { profiles, projectRoot } = options
  const query = parseQuery(request.rawQuery)
  if (query.has('newest')) {
    const { newest, missing: parts } = await fromStore(async () => profiles.find({}, { limit: 1 }))
    return profilerJson(200, { newest, missing: parts })
  }
  const asked = query.get('token')?.[0]
  if (asked === undefined) return profilerJson(200, { stamp: String(madeAtMs) })
  const { token } = tokenForm(asked, undefined)
  const profile = await fromStore(async () => profiles.read(token))
  if (profile === undefined) return missing
  const exception = readPart(profile, 'exception')
  const files = exception.state === 'there' && projectRoot !== undefined ? ownFiles(exception.data) : []
  const times = files.slice(0, maxFiles).map(async (file) => changeOf(`${projectRoot}/${file}`))
  return profilerJson(200, { stamp: [madeAtMs, ...(await Promise.all(times))].join(' ') })
}

function ownFiles(chain: StoredChain): string[] {
  const files = new Set<string>()
  const open: Partial<StoredChain>[] = [chain]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { source } of next.origins ?? []) if (source !== null) files.add(source.file)
    for (const { frames, members } of next.errors ?? []) {
      for (const { file, origin } of frames) if (origin === 'own') files.add(file)
      open.push(...members)
    }
  }
  // Profiles may come from anywhere.
  return [...files].filter(mayShowSource)
}

/** Milliseconds since 1970; 0 for a missing file. */
async function changeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return 0
  }
}
