// Draws one panel of one profile inside a guard: a panel that fails or grows too large takes only its own place.

import { badge } from '../base/html/components.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import type { Profile } from '../observe/profile.ts'
import { noteList, notRecorded, ownNotes } from './notes.ts'
import type { Panel, PanelBadge, PanelView } from './panel.ts'

/** Bytes of one panel at most (SECURITY R9: no page above 1 MB). */
const maxPanelBytes = 900_000

export function panelContent(panel: Panel, view: PanelView): SafeHtml {
  const notes = ownNotes(view.profile, panel)
  return html`<h2>${panel.title}</h2>
    ${noteList(notes, view)}${drawn(panel, view, notes.length > 0)}`
}

/** The panel's mark for the menu, or nothing. Never throws. */
export function panelMark(panel: Panel, profile: Profile): SafeHtml | null {
  const data = dataOf(profile, panel)
  if (data === undefined) return ownNotes(profile, panel).length === 0 ? null : trouble
  try {
    const mark = panel.badge?.(data)
    return mark === undefined ? null : drawnMark(mark)
  } catch {
    return trouble
  }
}

/** What the collector of the panel's name gathered. */
export function dataOf(profile: Profile, { name, from }: Pick<Panel, 'name' | 'from'>): unknown {
  return from?.(profile) ?? (Object.hasOwn(profile.data, name) ? profile.data[name] : undefined)
}

/** The profile with what one collector gathered and the notes about it, for JSON and Markdown. */
export function partOf(profile: Profile, panel: Pick<Panel, 'name' | 'from'>): Profile {
  const { name } = panel
  const notes = ownNotes(profile, panel)
  const own = dataOf(profile, panel)
  const data = own === undefined ? {} : { [name]: own }
  return { ...profile, data: notes.length === 0 ? data : { ...data, notes } }
}

function drawnMark({ count, tone, hint }: PanelBadge): SafeHtml {
  if (hint === undefined) return badge(count, tone)
  return html`<span class="badge tone-${tone}" title="${hint}"
    ><span aria-hidden="true">${count}</span><span class="visually-hidden">${hint}</span></span
  >`
}

const trouble = html`<span class="badge tone-warning"
  ><span aria-hidden="true">!</span><span class="visually-hidden">not complete</span></span
>`

function drawn(panel: Panel, view: PanelView, hasNotes: boolean): SafeHtml {
  const data = dataOf(view.profile, panel)
  if (data === undefined && hasNotes) return notRecorded
  try {
    const content = html`${panel.render(data, view)}`
    const bytes = Buffer.byteLength(String(content))
    return bytes <= maxPanelBytes ? content : failure(`it has ${bytes} bytes, more than the limit of ${maxPanelBytes}`)
  } catch (thrown) {
    const { errorClass, message } = describeFailure(thrown)
    return failure(`${errorClass}: ${message}`.slice(0, 500))
  }
}

function failure(reason: string): SafeHtml {
  return html`<p class="note tone-error">This panel could not be rendered: ${reason}</p>`
}
