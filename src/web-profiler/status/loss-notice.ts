// One line over the list of profiles when requests are missing from it, so that nobody searches for what was never kept.

import { html, type SafeHtml } from '../../html/html.ts'
import type { Losses } from '../../profiler/keeping/recorder-status.ts'

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

function counted(count: number, what: string): string | null {
  return count === 0 ? null : `${count.toLocaleString('en')} ${what}`
}
