// Puts the pages of the profiler together: frame, band, menu and content, each under a nonce of its own.

import { createNonce } from '../html/document.ts'
import { html, type SafeHtml } from '../html/html.ts'
import type { Reply } from '../http/reply.ts'
import type { Profile } from '../profiler/profile.ts'
import { renderFrame, type Frame } from './layout.ts'
import { missingPanelNote, missingProfileNote } from './missing.ts'
import { generalNotes, noteList } from './notes.ts'
import { panelContent } from './panel-content.ts'
import { panelMenu } from './panel-menu.ts'
import type { PanelSet } from './panel-set.ts'
import { panelScripts, panelStyles } from './panel-styles.ts'
import type { Panel } from './panel.ts'
import { profileHeadline, profileTitle, profileTone } from './profile-headline.ts'
import { profileList, type ProfileListView } from './profile-list.ts'
import { profilerPage } from './profiler-reply.ts'
import { routesPage } from './routes-page.ts'
import type { RoutesPageView } from './routes-page-view.ts'

/** The pages of one profiler. */
export class ProfilerPages {
  readonly #profilerPath: string
  readonly #panels: PanelSet

  constructor(profilerPath: string, panels: PanelSet) {
    this.#profilerPath = profilerPath
    this.#panels = panels
  }

  /** Address of a profile or one of its panels, relative to the host. */
  readonly linkTo = (token: string, panel?: string): string => {
    const base = `${this.#profilerPath}/${token}`
    return panel === undefined ? base : `${base}?panel=${panel}&type=request`
  }

  /** The list. */
  list(status: number, view: Omit<ProfileListView, 'profilerPath' | 'linkTo'>): Reply {
    return this.#page(status, {
      title: 'Profiles',
      headline: heading('Profiles'),
      content: profileList({ ...view, profilerPath: this.#profilerPath, linkTo: this.linkTo }),
      search: view.query.value('url'),
    })
  }

  /** The route table. */
  routes(status: number, view: RoutesPageView): Reply {
    return this.#page(status, {
      title: 'Routes',
      headline: heading('Routes'),
      content: routesPage(view, this.#profilerPath),
    })
  }

  /** One panel of one profile; 404 and the names of the panels there are where it is `undefined`. */
  profile(profile: Profile, panel: Panel | undefined): Reply {
    const { linkTo } = this
    const panels = this.#panels.all()
    const content =
      panel === undefined ? missingPanelNote(panels, profile.token, linkTo) : panelContent(panel, { profile, linkTo })
    return this.#page(panel === undefined ? 404 : 200, {
      title: profileTitle(profile),
      headline: profileHeadline(profile, linkTo),
      tone: profileTone(profile),
      menu: panelMenu({ panels, current: panel?.name ?? null, profile, linkTo }),
      content: html`${noteList(generalNotes(profile, panels))}${content}`,
    })
  }

  /** For a token without a profile. */
  missing(): Reply {
    return this.#page(404, {
      title: 'Error 404 Not Found',
      headline: heading('Error 404 Not Found'),
      tone: 'warning',
      content: missingProfileNote(this.#profilerPath),
    })
  }

  /** For a store that does not answer: the profile may be there, but cannot be shown. */
  unreadable(problem: string): Reply {
    return this.#page(404, {
      title: 'Profiles cannot be read',
      headline: heading('Profiles cannot be read'),
      tone: 'warning',
      content: html`<p class="note tone-warning">${problem}</p>`,
    })
  }

  #page(
    status: number,
    parts: Pick<Frame, 'title' | 'headline' | 'content'> & Partial<Pick<Frame, 'tone' | 'menu' | 'search'>>,
  ): Reply {
    const nonce = createNonce()
    const frame: Frame = {
      tone: 'neutral',
      menu: null,
      ...parts,
      nonce,
      profilerPath: this.#profilerPath,
      styles: panelStyles,
      scripts: panelScripts,
    }
    return profilerPage(status, renderFrame(frame), nonce)
  }
}

function heading(text: string): SafeHtml {
  return html`<h1 class="request-line">${text}</h1>`
}
