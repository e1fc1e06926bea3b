// What the request said, as marks of the timeline: warnings, errors and what was thrown. Of other log lines only the times.

import { levelTone } from '../../../errors/page/log-filter.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { fillPlaceholders, isProblem, logLevels } from '../../../framework/log/logger.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { Profile } from '../../profile.ts'
import { readPart } from '../../stored-data.ts'
import type { PanelView } from '../panel.ts'

/** A moment of the request. */
export interface Mark {
  readonly atMs: number
  readonly tone: string
  readonly label: SafeHtml
}

const maxMarks = 100

/** In order of time. */
export function marksOf(
  profile: Profile,
  linkTo: PanelView['linkTo'],
): { readonly marks: readonly Mark[]; readonly others: readonly number[] } {
  const part = readPart(profile, 'logger')
  const records = part.state === 'there' ? part.data.records : []
  const marks: Mark[] = []
  const others: number[] = []
  for (const record of records) {
    const level = logLevels.find((one) => one === record.level) ?? 'info'
    if (!isProblem(level) || marks.length === maxMarks) {
      others.push(record.timeMs)
      continue
    }
    const isThrown = profile.errorClass !== null && record.context['error_class'] === profile.errorClass
    const link = linkTo(profile.token, isThrown ? 'exception' : 'logger')
    const message = cutText(fillPlaceholders(record), 200)
    const label = html`<b class="log-level">${level}</b> <a href="${link}">${message}</a>`
    marks.push({ atMs: record.timeMs, tone: levelTone(level), label })
  }
  return { marks, others }
}
