// A profile as one page that opens offline: every panel below the other, without a script, and the profile itself as data,
// from which it can be imported again.

import { brandMark } from '../../../base/html/arc.ts'
import { createNonce, renderDocument } from '../../../base/html/document.ts'
import { html, jsonScript, trusted, type SafeHtml } from '../../../base/html/html.ts'
import { themeStyles } from '../../../base/html/theme.ts'
import type { Profile } from '../../../observe/profile.ts'
import { layoutStyles } from '../../../pages/layout.ts'
import { generalNotes, noteList } from '../../../pages/notes.ts'
import { dataOf, panelContent } from '../../../pages/panel-content.ts'
import { everyPanelStyle } from '../panels.ts'
import type { Panel } from '../../../pages/panel.ts'
import { profileTitle, profileTone } from '../../../profiles/profile-facts.ts'
import { profileHeadline } from '../../../pages/profile-headline.ts'
import { dataBlock, profileFile } from '../../export/profile-file.ts'

/** The page of a request (the first profile) and its sub-requests. Throws a RangeError without any profile. */
export function renderProfileHtml(profiles: readonly Profile[], panels: readonly Panel[]): string {
  const [first] = profiles
  if (first === undefined) throw new RangeError('There is no profile to draw; at least one is needed')
  const nonce = createNonce()
  const page = renderDocument({
    title: profileTitle(first),
    tone: profileTone(first),
    nonce,
    styles: [themeStyles, ...everyPanelStyle, layoutStyles],
    bodyClass: 'profiler',
    body: html`${profiles.map((profile) => profilePart(profile, panels))}${dataElement(profiles)}`,
  })
  // A file has no header fields, so its policy is in the page: only its own styles.
  return String(page).replace('<meta charset="utf-8" />', (charset) => `${charset}${policyElement(nonce)}`)
}

function profilePart(profile: Profile, panels: readonly Panel[]): SafeHtml {
  const shown = panels.filter((panel) => dataOf(profile, panel) !== undefined)
  return html`<header class="tone-${profileTone(profile)}" id="${profile.token}">
      <div class="topbar">
        <div class="page"><p class="brand">${brandMark} Fanlight profile</p></div>
      </div>
      <div class="page page-head">${profileHeadline(profile, { linkTo: anchor, panel: 'exception' })}</div>
    </header>
    <main class="page">
      <nav class="panel-links" aria-label="Panels of ${profile.token}">
        <ul class="row">
          ${shown.map((panel) => html`<li><a href="${anchor(profile.token, panel.name)}">${panel.title}</a></li> `)}
        </ul>
      </nav>
      ${noteList(generalNotes(profile, panels), { profile, linkTo: anchor })}
      ${shown.map((panel) => html`<section id="${profile.token}-${panel.name}">${panelContent(panel, { profile, linkTo: anchor })}</section> `)}
    </main>`
}

/** Everything that a link can lead to is in the page. */
function anchor(token: string, panel?: string): string {
  return panel === undefined ? `#${token}` : `#${token}-${panel}`
}

function dataElement(profiles: readonly Profile[]): SafeHtml {
  return trusted(dataBlock.before + String(jsonScript(profileFile(profiles))) + dataBlock.after)
}

function policyElement(nonce: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; form-action 'none'`
  return `<meta http-equiv="Content-Security-Policy" content="${policy}" />`
}
