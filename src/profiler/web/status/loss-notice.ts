// A line over the list of profiles for each reason why profiles are missing from it, so that nobody searches for what was never
// kept or is gone.

import { formatTime } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import type { Losses } from '../../keeping/recorder-status.ts'
import type { ReopenedStore } from '../../profile-store.ts'

/** The line, with a link to the status; `null` where every request has its profile. */
export function lossNotice(losses: Losses | undefined, profilerPath: string): SafeHtml | null {
  const sentence = losses === undefined ? null : lossSentence(losses)
  if (losses === undefined || sentence === null) return null
  const tone = losses.asideNow !== null || losses.dropped > 0 ? 'warning' : 'info'
  return html`<p class="note tone-${tone}">${sentence} <a href="${profilerPath}/status">Status</a></p>`
}

/** The same as text. */
export function lossSentence(losses: Losses): string | null {
  const { sampledOut, overPace, notAsked, notKept, steppedAside, dropped, asideNow } = losses
  const parts = [
    counted(sampledOut, 'sampled out'),
    counted(overPace, 'over the pace'),
    counted(notAsked, 'without a signed header'),
    counted(notKept, 'recorded and not kept'),
    counted(steppedAside, 'for lack of time'),
    counted(dropped, 'lost on the way to the store'),
  ].filter((part) => part !== null)
  const now = asideNow === null ? '' : `Requests are not recorded now: ${asideNow}. `
  if (parts.length === 0) return asideNow === null ? null : now.trimEnd()
  const all = sampledOut + overPace + notAsked + notKept + steppedAside + dropped
  return `${now}${all.toLocaleString('en')} ${all === 1 ? 'request has' : 'requests have'} no profile: ${parts.join(', ')}.`
}

/** What a store says that went on with another file; `null` for every other one. */
export function reopenedSentence(reopened: ReopenedStore | null | undefined): string | null {
  if (reopened === null || reopened === undefined) return null
  const why = reopened.reason === 'damaged' ? 'damaged' : 'moved, removed or replaced'
  return `The store was opened anew at ${formatTime(reopened.time)} UTC because its file was ${why}: profiles that only the old file holds are not here.`
}

/** The same as a line. */
export function reopenedNotice(reopened: ReopenedStore | null | undefined): SafeHtml | null {
  const sentence = reopenedSentence(reopened)
  return sentence === null ? null : html`<p class="note tone-warning">${sentence}</p>`
}

function counted(count: number, what: string): string | null {
  return count === 0 ? null : `${count.toLocaleString('en')} ${what}`
}
