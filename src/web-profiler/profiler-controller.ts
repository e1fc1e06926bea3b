// The handlers of the profiler's routes. Access is decided first; then the profile is read and the panel drawn.

import { createNonce } from '../html/document.ts'
import { html, type SafeHtml } from '../html/html.ts'
import { preferredFormat } from '../http/accept.ts'
import { parseQuery } from '../http/query.ts'
import type { Reply } from '../http/reply.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { profilerRefused } from '../log/lines.ts'
import type { Profile } from '../profiler/profile.ts'
import type { ProfileReader } from '../profiler/profile-reader.ts'
import { refusal, type AccessRules } from './access.ts'
import { panelMenu, profileHeadline, profileTone, renderFrame } from './layout.ts'
import { ListQuery } from './list-query.ts'
import { missingPanelNote, missingProfileNote } from './missing.ts'
import { PanelSet } from './panel-set.ts'
import { panelStyles } from './panel-styles.ts'
import type { Panel } from './panel.ts'
import { profileList } from './profile-list.ts'
import { profilerJson, profilerPage, profilerRedirect, profilerRefusal } from './profiler-reply.ts'

/** What a controller is made of. */
export interface ProfilerControllerOptions {
  readonly profiles: ProfileReader
  readonly panels: readonly Panel[]
  readonly access: AccessRules
  /** `/_profiler` */
  readonly profilerPath: string
  /** Why profiles are kept in memory only; `null` when all is well. */
  readonly storeProblem: string | null
}

/** The pages of the profiler. Reads only: nothing here changes anything (SECURITY R8). */
export class ProfilerController {
  readonly #options: ProfilerControllerOptions
  readonly #panels: PanelSet

  constructor(options: ProfilerControllerOptions) {
    this.#options = options
    this.#panels = new PanelSet(options.panels)
  }

  /** `/_profiler/`: the list. */
  async list(exchange: Exchange): Promise<Reply> {
    const refused = this.#gate(exchange)
    if (refused !== null) return refused
    const { profiles, profilerPath, storeProblem } = this.#options
    const query = new ListQuery(exchange.context.query)
    const isUsable = query.problems.length === 0
    const page = isUsable
      ? await profiles.find(query.filter, {
          limit: query.limit,
          ...(query.after === undefined ? {} : { after: query.after }),
        })
      : { items: [], next: null }
    const stats = await profiles.stats()
    if (wantsJson(exchange)) return profilerJson(isUsable ? 200 : 400, { ...page, stats, problems: query.problems })
    const content = profileList({ page, query, stats, storeProblem, profilerPath, linkTo: this.#linkTo })
    return this.#page(200, {
      title: 'Profiles',
      headline: html`<h1 class="request-line">Profiles</h1>`,
      content,
      search: query.value('url'),
    })
  }

  /** `/_profiler/latest`: leads to the newest profile, with the panel that was asked for. */
  async latest(exchange: Exchange): Promise<Reply> {
    const refused = this.#gate(exchange)
    if (refused !== null) return refused
    const { items } = await this.#options.profiles.find({}, { limit: 1 })
    const [newest] = items
    if (newest === undefined) return this.#missing()
    const panel = this.#panels.find(parseQuery(exchange.context.query).get('panel')?.[0] ?? '')
    return profilerRedirect(this.#linkTo(newest.token, panel?.name))
  }

  /** `/_profiler/<token>`: one panel of one profile. */
  async show(exchange: Exchange<{ readonly token: string }>): Promise<Reply> {
    const refused = this.#gate(exchange as Exchange)
    if (refused !== null) return refused
    const profile = await this.#options.profiles.read(exchange.params.token)
    if (profile === undefined) return this.#missing()
    if (wantsJson(exchange)) return profilerJson(200, profile)
    const query = parseQuery(exchange.context.query)
    const type = query.get('type')?.[0] ?? 'request'
    const name = query.get('panel')?.[0] ?? (profile.errorClass === null ? 'request' : 'exception')
    const panel = type === 'request' ? this.#panels.find(name) : undefined
    if (panel === undefined)
      return this.#profilePage(404, profile, null, missingPanelNote(this.#panels.all(), profile.token, this.#linkTo))
    return this.#profilePage(200, profile, panel.name, this.#draw(panel, profile))
  }

  #draw(panel: Panel, profile: Profile): SafeHtml {
    const data = Object.hasOwn(profile.data, panel.name) ? profile.data[panel.name] : undefined
    const notes = notesOf(profile, panel.name)
    try {
      return html`<h2>${panel.title}</h2>
        ${notes}${panel.render(data, { profile, linkTo: this.#linkTo })}`
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'something that is no Error was thrown'
      return html`<h2>${panel.title}</h2>
        ${notes}
        <p class="note tone-error">This panel could not be drawn: ${reason}</p>`
    }
  }

  #profilePage(status: number, profile: Profile, current: string | null, content: SafeHtml): Reply {
    return this.#page(status, {
      title: `${profile.status} ${profile.method} ${profile.url}`.slice(0, 200),
      headline: profileHeadline(profile, this.#linkTo),
      tone: profileTone(profile),
      menu: panelMenu(this.#panels.all(), current, profile, this.#linkTo),
      content,
    })
  }

  /** Unknown, malformed and evicted tokens: one and the same page (SPEC 5.3). */
  #missing(): Reply {
    const headline = html`<h1 class="request-line">Error 404 Not Found</h1>`
    return this.#page(404, {
      title: 'Error 404 Not Found',
      headline,
      tone: 'warning',
      content: missingProfileNote(this.#options.profilerPath),
    })
  }

  #page(
    status: number,
    parts: {
      title: string
      headline: SafeHtml
      content: SafeHtml
      tone?: ReturnType<typeof profileTone>
      menu?: SafeHtml
      search?: string
    },
  ): Reply {
    const nonce = createNonce()
    const { profilerPath } = this.#options
    const frame = { tone: 'neutral' as const, menu: null, ...parts, nonce, profilerPath, styles: panelStyles }
    return profilerPage(status, renderFrame(frame), nonce)
  }

  #gate(exchange: Exchange): Reply | null {
    const reason = refusal(exchange.context, this.#options.access)
    if (reason === null) return null
    exchange.log.write(profilerRefused({ reason, peer: exchange.context.peerAddress }))
    return profilerRefusal()
  }

  readonly #linkTo = (token: string, panel?: string): string => {
    const base = `${this.#options.profilerPath}/${token}`
    return panel === undefined ? base : `${base}?panel=${panel}&type=request`
  }
}

function wantsJson(exchange: Pick<Exchange, 'context'>): boolean {
  return preferredFormat(exchange.context.header('accept')) === 'json'
}

function notesOf(profile: Profile, panel: string): SafeHtml | null {
  const notes = profile.data['notes']
  if (!Array.isArray(notes)) return null
  const own = (notes as readonly { source: string; message: string }[]).filter(({ source }) => source.endsWith(panel))
  if (own.length === 0) return null
  return html`${own.map(({ source, message }) => html`<p class="note tone-warning">${source}: ${message}</p> `)}`
}
