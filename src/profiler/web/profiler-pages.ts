// Puts the pages of the profiler together: frame, band, menu and content, each under a nonce of its own.

import type { EditorLink } from '../../errors/page/frame-item.ts'
import { createNonce } from '../../framework/html/document.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import type { Reply } from '../../framework/http/reply.ts'
import type { Profile } from '../profile.ts'
import { findingLinks, profileLinks, profileHeadline } from './profile-headline.ts'
import { heading, renderFrame, type Frame, type FrameLink } from './layout.ts'
import { type AskedPart, missingPanelNote, missingProfileNote, missingStatus } from './asked-part.ts'
import { ignoredNotes, generalNotes, noteList } from './notes.ts'
import { panelContent } from './panel-content.ts'
import { isFor, panelMenu } from './panel-menu.ts'
import { pageRoutes } from './profiler-routes.ts'
import { panelScripts, panelStyles } from './panel-styles.ts'
import type { Panel } from './panel.ts'
import { profileTitle, profileTone } from '../query/profile-facts.ts'
import type { FrameParts } from './profiler-page.ts'
import { profilerPage } from './profiler-reply.ts'

export interface ProfileView {
  readonly profile: Profile
  /** `undefined` where there is none such. */
  readonly panel: Panel | undefined
  readonly asked: AskedPart
  /** Stands below the panel: what is not kept with the profile. Default: nothing. */
  readonly beside?: SafeHtml | undefined
}

export class ProfilerPages {
  readonly #profilerPath: string
  readonly #panels: readonly Panel[]
  readonly #editor: EditorLink | undefined
  readonly #links: readonly FrameLink[]

  /** `panels` are in menu order. */
  constructor(profilerPath: string, panels: readonly Panel[], editor?: EditorLink) {
    this.#editor = editor
    this.#profilerPath = profilerPath
    this.#panels = panels
    this.#links = pageRoutes.flatMap(({ label, path }) =>
      label === null ? [] : [{ label, href: `${profilerPath}/${path}` }],
    )
  }

  /** Address of a profile or one of its panels, relative to the host. */
  readonly linkTo = (token: string, panel?: string): string => {
    const base = `${this.#profilerPath}/${token}`
    return panel === undefined ? base : `${base}?panel=${panel}&type=request`
  }

  /** One panel of one profile, or the names of the panels that there are. */
  profile({ profile, panel, asked, beside }: ProfileView): Reply {
    const { linkTo } = this
    const panels = this.#panels
    const content =
      panel === undefined
        ? missingPanelNote(
            panels.filter((one) => isFor(one, profile)),
            asked,
            (name) => linkTo(profile.token, name),
          )
        : panelContent(panel, { profile, linkTo, editor: this.#editor })
    return this.page(panel === undefined ? missingStatus(asked) : 200, {
      title: profileTitle(profile, panel?.title),
      headline: html`${profileHeadline(profile, linkTo)} ${findingLinks(profile, linkTo)}
      ${profileLinks(profile, this.#profilerPath)}`,
      tone: profileTone(profile),
      menu: panelMenu({ panels, current: panel?.name ?? null, profile, linkTo }),
      content: html`${ignoredNotes(asked.ignored)}${noteList(generalNotes(profile, panels))}${content}${beside}`,
    })
  }

  missing(): Reply {
    return this.page(404, {
      title: 'Error 404 Not Found',
      headline: heading('Error 404 Not Found'),
      tone: 'warning',
      content: missingProfileNote(this.#profilerPath),
    })
  }

  /** For a store that does not answer: the profile may be there, but cannot be shown. */
  unreadable(problem: string): Reply {
    return this.page(404, {
      title: 'Profiles cannot be read',
      headline: heading('Profiles cannot be read'),
      tone: 'warning',
      content: html`<p class="note tone-warning">${problem}</p>`,
    })
  }

  /** What a page puts into the frame, framed. `current` is the address of its link in the band; default: none. */
  page(status: number, parts: FrameParts, current?: string): Reply {
    const nonce = createNonce()
    const frame: Frame = {
      tone: 'neutral',
      menu: null,
      ...parts,
      nonce,
      profilerPath: this.#profilerPath,
      links: this.#links.map((link) => ({ ...link, isCurrent: link.href === current })),
      styles: [...panelStyles, ...(parts.styles ?? [])],
      scripts: [...panelScripts, ...(parts.scripts ?? [])],
    }
    return profilerPage(status, renderFrame(frame), nonce)
  }
}
