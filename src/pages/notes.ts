// Notes about what is missing: failed collectors, unknown parameters, lists that were cut.

import { emptyState, formatCount, note } from '../base/html/components.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import { noteSource } from '../observe/profile-parts.ts'
import type { Profile } from '../observe/profile.ts'
import type { RecordingPause } from '../profiles/set-by-people.ts'
import { lossSentence, notesPart, pauseSentence } from '../profiles/profile-facts.ts'
import { type MissingParts, missingSentence } from '../profiles/profile-store.ts'
import type { Note } from '../http/recording/recording.ts'
import type { Losses } from '../profiles/sampling/recorder-status.ts'
import { drawBlocks } from './draw-blocks.ts'
import type { Panel, PanelView } from './panel.ts'
import { notesOf } from '../profiles/stored-data.ts'
import { codeSpan } from '../base/markdown-text.ts'
import { cutMark } from '../base/html/page-budget.ts'

/** Notes about one panel's own collector. */
export function ownNotes(profile: Profile, { name }: Pick<Panel, 'name'>): readonly Note[] {
  const source = noteSource(name)
  return notesOf(profile).filter((one) => one.source === source)
}

/** Notes that belong to no panel: they are on every page of the profile. */
export function generalNotes(profile: Profile, panels: readonly Panel[]): readonly Note[] {
  const sources = new Set(panels.map(({ name }) => noteSource(name)))
  return notesOf(profile).filter(({ source }) => !sources.has(source))
}

/** The notes as sentences; nothing if there are none. */
export function noteList(notes: readonly Note[], view: PanelView): SafeHtml | null {
  if (notes.length === 0) return null
  return html`<div class="notes">${drawBlocks(notesPart.draw(notes, view.profile), 'note', view)}</div>`
}

/** Shown in place of a panel whose collector only left notes. */
export const notRecorded: SafeHtml = emptyState('This part was not recorded; the note above says why.')

/** What a page says of itself at the top of HTML and Markdown. */
export interface PageNotes {
  /** What cannot be used, one sentence each. The status is 400 then, if the page names no other. Default: none. */
  readonly problems?: readonly string[]
  /** Unknown query parameters, one sentence each. Default: none. */
  readonly ignored?: readonly string[]
  /** Parts of the store that did not respond. Default: all responded. */
  readonly missing?: MissingParts | undefined
}

/** A note for each sentence; nothing if there is none. */
export function pageNotes({ problems = [], ignored = [], missing }: PageNotes): SafeHtml | null {
  if (problems.length === 0 && ignored.length === 0 && missing === undefined) return null
  return html`<div class="notes">
    ${missing === undefined ? null : note(missingSentence(missing))} ${problems.map((problem) => note(problem))}
    ${ignored.map((sentence) => note(sentence, 'info'))}
  </div>`
}

/** The same before a page of Markdown, under its title. */
export function withPageNotes(
  markdown: string,
  { problems = [], ignored = [], missing, pause = null }: PageNotes & { readonly pause?: RecordingPause | null },
): string {
  const sentences = [
    ...(pause === null ? [] : [codeSpan(pauseSentence(pause))]),
    ...(missing === undefined ? [] : [missingSentence(missing)]),
    ...[...problems, ...ignored].map(codeSpan),
  ]
  if (sentences.length === 0) return markdown
  const [, title = '', rest = ''] = /^((?:# .*\n+)?)([\s\S]*)$/.exec(markdown) ?? []
  return `${title}${sentences.map((sentence) => `${sentence}\n\n`).join('')}${rest}`
}

/** The mark; `null` if nothing is missing. */
export function keptMark(kept: number, dropped: number, what: string): SafeHtml | null {
  if (!(dropped > 0)) return null
  return cutMark(`${formatCount(kept)} of ${formatCount(kept + dropped)} ${what} recorded.`)
}

/** What has no profile, with a link to the status; nothing where every request has one. */
export function lossNotice(losses: Losses | undefined, profilerPath: string): SafeHtml | null {
  const sentence = losses === undefined ? null : lossSentence(losses)
  if (losses === undefined || sentence === null) return null
  const tone = losses.dropped > 0 ? 'warning' : 'info'
  return note(html`${sentence} <a href="${profilerPath}/status">Status</a>`, tone)
}
