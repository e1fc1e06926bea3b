// The band of one profile: what was asked, what came of it, and what belongs to it.

import { formatDuration, formatTime, statusTone, type Tone } from '../html/components.ts'
import { html, type SafeHtml } from '../html/html.ts'
import { commandMethod } from '../profiler/collectors/command.ts'
import type { Profile, ProfileSummary } from '../profiler/profile.ts'

/** The heading and the facts every page of a profile begins with. */
export function profileHeadline(profile: Profile, linkTo: (token: string, panel?: string) => string): SafeHtml {
  const { parentToken } = profile
  const names = subRequestNames(profile)
  return html`<h1 class="mono request-line">${profile.method} ${profile.url}</h1>
    <ul class="row headline-facts">
      <li>${verdict(profile)}</li>
      <li>Duration <b>${formatDuration(profile.durationMs)}</b></li>
      <li>IP <b>${profile.ip}</b></li>
      <li>
        Profiled on <b><time datetime="${instant(profile.time)}">${formatTime(profile.time)}</time></b> UTC
      </li>
      <li>Token <b class="mono">${profile.token}</b></li>
      ${profile.errorClass === null ? null : html`<li>Thrown <b class="mono">${profile.errorClass}</b></li>`}
      ${parentToken === null ? null : html`<li>Sub-request of <a class="mono" href="${linkTo(parentToken)}">${parentToken}</a></li>`}
      ${profile.childTokens.map(
        (token) =>
          html`<li>
            Forwarded to ${names.get(token) ?? 'a sub-request'} (<a class="mono" href="${linkTo(token)}">${token}</a>)
          </li> `,
      )}
    </ul>`
}

/** What came of it in a word: a status, `no answer`; of a command `done` or `failed`. */
export function statusMark({ status, method }: Pick<ProfileSummary, 'status' | 'method'>): string {
  if (method === commandMethod) return status === 200 ? 'done' : status === 0 ? 'running' : 'failed'
  return status === 0 ? 'no answer' : String(status)
}

function verdict(profile: ProfileSummary): SafeHtml {
  if (profile.method === commandMethod) return html`Command <b>${statusMark(profile)}</b>`
  return profile.status === 0 ? html`<b>No answer was sent</b>` : html`Status <b>${profile.status}</b>`
}

/** Colour of a profile: that of its status; no answer is an error. */
export function profileTone({ status }: { readonly status: number }): Tone {
  return status === 0 ? 'error' : statusTone(status)
}

/** Title of a profile's pages. */
export function profileTitle({ status, method, url }: Profile): string {
  return `${status === 0 ? 'No answer' : status} ${method} ${url}`.slice(0, 200)
}

/** Who answered each sub-request, as the request collector wrote it down; empty where it did not. */
function subRequestNames({ data }: Profile): ReadonlyMap<string, string> {
  const { subRequests } = (data['request'] ?? {}) as { readonly subRequests?: unknown }
  if (!Array.isArray(subRequests)) return new Map()
  return new Map(
    (subRequests as readonly { readonly token?: unknown; readonly handler?: unknown }[])
      .filter((sub) => typeof sub?.token === 'string' && typeof sub.handler === 'string' && sub.handler !== '')
      .map(({ token, handler }) => [String(token), String(handler)]),
  )
}

function instant(epochMs: number): string {
  const date = new Date(epochMs)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
