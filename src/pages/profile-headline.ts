// The header of a profile, with its findings and the links onward.

import { errorId } from '../profiles/known-errors/known-errors.ts'
import { timeGlyph } from '../base/html/arc.ts'
import { formatDuration, formatTime, badge, isoTime } from '../base/html/components.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import { browserMethod, findings as factsOf, runTypeOf, spansMethod } from '../observe/profile.ts'
import type { Profile, ProfileSummary } from '../observe/profile.ts'
import { statusText } from '../base/http/node-http.ts'
import { readPart } from '../profiles/stored-data.ts'
import { pathOf, profileTone, requestLine, statusMark } from '../profiles/profile-facts.ts'
import { membersOf, listOf } from '../base/members.ts'

const maxNamed = 6

/** What the heading depends on beside the profile. */
interface HeadlineView {
  readonly linkTo: (token: string, panel?: string) => string
  /** Of the panel below. Default: none. */
  readonly panel?: string | undefined
  /** Path of the profiler. Default: tags and users are not links. */
  readonly profilerPath?: string
  /** Goes without saying. Default: none does. */
  readonly ownService?: string | null
}

/** The heading and the facts every page of a profile begins with. */
export function profileHeadline(
  profile: Profile,
  { linkTo, panel, profilerPath, ownService = null }: HeadlineView,
): SafeHtml {
  const { method, parentToken, replayOf, errorClass, service } = profile
  const isRun = runTypeOf(method) !== undefined
  // Of a request that failed, the panel of its exception says who responded.
  const isWhole = panel === 'exception' || errorClass === null
  const facts = [
    ...(isWhole ? [verdict(profile)] : []),
    parentToken === null
      ? null
      : html`${isRun ? 'Started by' : method === browserMethod ? 'Reported by the page of' : 'Sub-request of'}
          <a class="mono" href="${linkTo(parentToken)}">${parentToken}</a>`,
    replayOf === null ? null : html`Replay of <a class="mono" href="${linkTo(replayOf)}">${replayOf}</a>`,
    ...(isWhole ? children(profile, linkTo) : []),
    ...clientLinks(profile, profilerPath),
    tagMarks(profile, profilerPath),
    service === ownService ? null : html`Service <span class="mono">${service}</span>`,
  ].filter((fact) => fact !== null)
  const isShort = facts.length === 1 && profile.tags.length === 0
  return html`<h1 class="mono request-line" title="${profile.url}">
      ${statusBadge(profile)} ${requestLine({ method, url: isRun ? profile.url : pathOf(profile.url) })}
    </h1>
    <ul class="row headline-facts">
      ${method === browserMethod ? null : html`<li>${glyphOf(profile)} <b>${formatDuration(profile.durationMs)}</b></li>`}
      <li><time datetime="${isoTime(profile.time)}">${formatTime(profile.time)}</time> UTC</li>
      ${isShort ? html`<li>${facts}</li>` : null}
    </ul>
    ${
      facts.length === 0 || isShort
        ? null
        : html`<ul class="row headline-facts headline-more">
            ${facts.map((fact) => html`<li>${fact}</li> `)}
          </ul>`
    }`
}

/** The user and the session, each a link to the requests of it. */
function clientLinks({ user, session }: ProfileSummary, profilerPath?: string): readonly (SafeHtml | null)[] {
  if (profilerPath === undefined) return user === null ? [] : [html`User <bdi>${user}</bdi>`]
  const link = (name: string, value: string, text: string): SafeHtml =>
    html`<a href="${profilerPath}/?${name}=${encodeURIComponent(value)}"><bdi>${text}</bdi></a>`
  return [
    user === null ? null : html`User ${link('user', user, user)}`,
    session === null ? null : link('session', session, 'This session'),
  ]
}

/** What the profile handed its work to. */
function children(profile: Profile, linkTo: HeadlineView['linkTo']): readonly SafeHtml[] {
  const { childTokens, method } = profile
  const names = subRequestNames(profile)
  const isRun = runTypeOf(method) !== undefined
  const unnamed = childTokens.length - maxNamed
  const named = childTokens.slice(0, maxNamed).map((token) => {
    const link = html`<a class="mono" href="${linkTo(token)}">${token}</a>`
    return html`${isRun ? 'Started a process' : `Forwarded to ${names.get(token) ?? 'a sub-request'}`} (${link})`
  })
  return unnamed > 0 ? [...named, html`and ${unnamed} more`] : named
}

function statusBadge(profile: ProfileSummary): SafeHtml {
  return html`<span class="badge badge-solid tone-${profileTone(profile)}"
    >${profile.status === 0 || runTypeOf(profile.method) !== undefined || profile.method === browserMethod ? null : html`<span class="visually-hidden">Status </span>`}${statusMark(profile)}</span
  >`
}

/** The heading that the error page of a failed request has. */
function verdict({ errorClass, status, method }: ProfileSummary): SafeHtml | null {
  if (errorClass === null || status < 400 || runTypeOf(method) !== undefined || method === browserMethod) return null
  return html`<b>Error ${status} ${statusText(status)}</b>`
}

/** Nothing if the loop was not measured. */
function glyphOf(profile: Profile): SafeHtml | null {
  const time = readPart(profile, 'time')
  if (time.state !== 'there') return null
  const { ownCpuMs: ownMs, loopWaitMs: loopMs, ioWaitMs: waitMs } = time.data
  return ownMs === null || waitMs === null ? null : timeGlyph({ ownMs, loopMs, waitMs })
}

function subRequestNames({ data }: Profile): ReadonlyMap<string, string> {
  const { subRequests } = membersOf(data['request'])
  return new Map(
    listOf(subRequests).flatMap((sub) => {
      const { token, handler } = membersOf(sub)
      return typeof token === 'string' && typeof handler === 'string' && handler !== '' ? [[token, handler]] : []
    }),
  )
}

const otherFiles = 'Other files, and what is masked in them'

/** All its parts, if the band names only some; the same again; another profile; its error and trace; files. */
export function profileLinks(profile: ProfileSummary, profilerPath: string): SafeHtml {
  const { token, childTokens, method, parentToken, traceId, errorFamily, findings, service } = profile
  const family = findings.includes('error') ? errorFamily : null
  const isRun = runTypeOf(method) !== undefined
  const isRequest = !isRun && method !== browserMethod && method !== spansMethod
  const parts = `${childTokens.length} ${isRun ? 'processes' : 'sub-requests'}`
  return html`${childTokens.length <= maxNamed ? null : html`<a class="button" href="${profilerPath}/?parent=${token}">All ${parts}</a>`}
    ${parentToken !== null || !isRequest ? null : html`<a class="button" href="${profilerPath}/${token}/replay">Replay</a>`}
    <a class="button" href="${profilerPath}/compare?a=${token}">Compare</a>
    ${family === null ? null : html`<a class="button" href="${profilerPath}/errors?id=${errorId(service, family, method === browserMethod)}">Same error</a>`}
    ${traceId === null ? null : html`<a class="button" href="${profilerPath}/trace?id=${traceId}">Trace</a>`}
    <a class="button" href="${profilerPath}/export?token=${token}&as=html">Share</a>
    <a class="button" href="${profilerPath}/export?token=${token}" aria-label="${otherFiles}" title="${otherFiles}"
      >…</a
    >`
}

/** One link each to the panel that shows more; an error that status or class of what was thrown say already is not said again. */
export function findingLinks(
  { findings, status, errorClass, token }: ProfileSummary,
  linkTo: (token: string, panel: string) => string,
): SafeHtml | null {
  const isSaid = status === 0 || status >= 500 || errorClass !== null
  const shown = findings.filter((finding) => finding !== 'error' || !isSaid)
  if (shown.length === 0) return null
  return html`<p class="row headline-facts found">
    <span>Findings:</span>
    ${shown.map((finding) => html`<a href="${linkTo(token, factsOf[finding][1])}"><b>${factsOf[finding][0]}</b></a> `)}
  </p>`
}

/** The tags, each a link to the profiles that have it. */
export function tagMarks({ tags }: Pick<ProfileSummary, 'tags'>, profilerPath?: string): SafeHtml | null {
  if (tags.length === 0) return null
  const mark = (tag: string): SafeHtml =>
    profilerPath === undefined
      ? html`<span class="badge tone-neutral">${tag}</span> `
      : html`<a class="badge tone-neutral" href="${profilerPath}/?tag=${encodeURIComponent(tag)}">${tag}</a> `
  return html`<span class="tags"><span class="visually-hidden">Tags </span>${tags.map(mark)}</span>`
}

/** One mark each; an error that the status says already is not said twice. */
export function findingBadges({ findings, status }: ProfileSummary): SafeHtml | null {
  const shown = findings.filter((finding) => finding !== 'error' || (status > 0 && status < 500))
  if (shown.length === 0) return null
  return html`<span class="findings"
    >${shown.map((finding) => html`${badge(factsOf[finding][0], finding === 'error' ? 'error' : 'warning')} `)}</span
  >`
}
