// The handlers of the profiler's routes. Access is decided first; then the profile is read, and drawn or given as JSON.

import { codeSpan } from '../../errors/markdown-text.ts'
import { html } from '../../framework/html/html.ts'
import { Reply } from '../../framework/http/reply.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import { profilerRefused } from '../../framework/log/profiler-lines.ts'
import { commandMethod, type Profile } from '../profile.ts'
import { comparePage } from './compare/compare-page.ts'
import { runsPage } from './compare/runs-page.ts'
import { exportPage } from './export/export-page.ts'
import { groupsPage } from './groups/groups-page.ts'
import { latestPage } from './latest-page.ts'
import { listPage } from './list-page.ts'
import { livePage } from './live/live-page.ts'
import { openPage } from './open-requests/open-page.ts'
import { routeTablePage } from './routes-page.ts'
import { statusPage } from './status/status-page.ts'
import {
  profileType,
  readAskedPart,
  type AskedPart,
  pageForm,
  tokenForm,
  type ProfileForm,
  missingPanel,
  missingPanelMarkdown,
  missingProfile,
  missingProfileMarkdown,
  missingStatus,
} from './asked-part.ts'
import { renderProfileMarkdown } from '../query/profile-markdown.ts'
import { ignoredNotes, withIgnored } from './notes.ts'
import { LiveFeed } from './live/live-feed.ts'
import type { PageName, PageRoute } from './profiler-routes.ts'
import { partOf } from './panel-content.ts'
import { isFor } from './panel-menu.ts'
import type { Panel } from './panel.ts'
import { configPanel } from './panels/config.ts'
import type { PageTools, ProfilerControllerOptions, ProfilerPage } from './profiler-page.ts'
import { ProfilerPages } from './profiler-pages.ts'
import { profilerJson, profilerMarkdown } from './profiler-reply.ts'
import { surroundingsOf, surroundingsSection, type Surroundings } from './status/surroundings.ts'
import { fromStore, UnreadableStoreError } from './unreadable-store.ts'

const pages: Readonly<Record<PageName, ProfilerPage>> = {
  _profiler_home: listPage,
  _profiler_live: livePage,
  _profiler_latest: latestPage,
  _profiler_groups: groupsPage,
  _profiler_runs: runsPage,
  _profiler_open: openPage,
  _profiler_compare: comparePage,
  _profiler_export: exportPage,
  _profiler_routes: routeTablePage,
  _profiler_status: statusPage,
}

/** The pages of the profiler. Reads only: nothing here changes anything (SECURITY R8). */
export class ProfilerController {
  readonly #options: ProfilerControllerOptions
  readonly #panels: ReadonlyMap<string, Panel>
  readonly #pages: ProfilerPages
  readonly #tools: PageTools
  readonly #live: LiveFeed

  constructor(options: ProfilerControllerOptions) {
    this.#options = options
    // Panel names come from requests, hence a Map (SECURITY R12).
    this.#panels = new Map(options.panels.map((panel) => [panel.name, panel]))
    const panels = [...this.#panels.values()]
    this.#pages = new ProfilerPages(options.profilerPath, panels, options.editor)
    this.#live = new LiveFeed(options.profiles)
    this.#tools = {
      options,
      live: this.#live,
      panels,
      linkTo: this.#pages.linkTo,
      missing: (exchange) => this.#missing(exchange),
    }
  }

  /** Ends the live lists: they would hold up a server that closes. */
  close(): void {
    this.#live.close()
  }

  get profilerPath(): string {
    return this.#options.profilerPath
  }

  /** One of the pages beside the profiles, in the form that was asked for. */
  async page({ name, path }: PageRoute, exchange: Exchange): Promise<Reply> {
    return this.#gated(exchange, async () => {
      const answer = await pages[name](exchange, this.#tools)
      if (answer instanceof Reply) return answer
      const { status = 200, ignored = [] } = answer
      const form = formOf(exchange)
      if (form === 'json') return profilerJson(status, answer.json())
      if (form === 'markdown') return profilerMarkdown(status, withIgnored(answer.markdown(), ignored))
      const parts = answer.html()
      const content = html`${ignoredNotes(ignored)}${parts.content}`
      return this.#pages.page(status, { ...parts, content }, `${this.profilerPath}/${path}`)
    })
  }

  /** `/_profiler/<token>`: one panel of one profile; as JSON and Markdown all of them, or the one asked for. */
  async show(exchange: Exchange<{ readonly token: string }>): Promise<Reply> {
    return this.#gated(exchange, async () => {
      const { token, form } = tokenForm(exchange.request.params.token, exchange.request.header('accept'))
      const profile = await fromStore(async () => this.#options.profiles.read(token))
      if (profile === undefined) return this.#missing(exchange)
      const asked = readAskedPart(exchange.request.rawQuery)
      const panel = this.#panelOf(profile, asked)
      const around =
        panel?.name === configPanel.name ? await surroundingsOf(profile, this.#options.projectRoot) : undefined
      if (form === 'html') {
        const beside = around === undefined ? undefined : surroundingsSection(around, this.profilerPath)
        return this.#pages.profile({ profile, panel, asked, beside })
      }
      if (panel === undefined) return this.#missingPart(form, asked, profile)
      const shown = asked.panel === undefined ? profile : withSurroundings(partOf(profile, panel), around)
      if (form === 'json') return profilerJson(200, shown)
      return profilerMarkdown(200, withIgnored(renderProfileMarkdown(shown), asked.ignored))
    })
  }

  #missingPart(form: ProfileForm, asked: AskedPart, profile: Profile): Reply {
    const panels = this.#tools.panels.filter((panel) => isFor(panel, profile))
    return form === 'json'
      ? profilerJson(missingStatus(asked), missingPanel(panels, asked))
      : profilerMarkdown(missingStatus(asked), missingPanelMarkdown(panels, asked))
  }

  #panelOf(profile: Profile, { panel, type, problem }: AskedPart): Panel | undefined {
    return problem === null && type === profileType ? this.#panels.get(panel ?? mainPanel(profile)) : undefined
  }

  /** Matching decodes a path; there is one way only to write an address of ours (threat T69). */
  #isSpelledAsIs(path: string): boolean {
    return path.startsWith(`${this.#options.profilerPath}/`) && !path.includes('%')
  }

  /** Unknown, malformed and evicted tokens: one and the same answer (SPEC 5.3). */
  #missing(exchange: Pick<Exchange, 'request'>): Reply {
    const form = formOf(exchange)
    if (form === 'json') return profilerJson(404, missingProfile)
    return form === 'markdown' ? profilerMarkdown(404, missingProfileMarkdown) : this.#pages.missing()
  }

  /** Decides access before any work is done; a store that cannot be read makes a page that says so. */
  async #gated(exchange: Served, answer: () => Promise<Reply>): Promise<Reply> {
    const { access } = this.#options
    const isSpelled = this.#isSpelledAsIs(exchange.request.path)
    const entered = isSpelled ? access.exchange(exchange.request) : null
    if (entered !== null) return entered
    const reason = await access.refusal(exchange.request)
    if (reason !== null) {
      exchange.log.write(profilerRefused({ reason, peer: exchange.request.peerAddress }))
      return access.refused()
    }
    if (!isSpelled) return this.#missing(exchange)
    try {
      return await answer()
    } catch (error) {
      if (!(error instanceof UnreadableStoreError)) throw error
      const form = formOf(exchange)
      if (form === 'json') return profilerJson(404, { error: error.message })
      return form === 'markdown'
        ? profilerMarkdown(404, `${codeSpan(error.message)}\n`)
        : this.#pages.unreadable(error.message)
    }
  }
}

function mainPanel({ errorClass, method }: Profile): string {
  if (errorClass !== null) return 'exception'
  return method === commandMethod ? 'command' : 'request'
}

function withSurroundings(profile: Profile, surroundings: Surroundings | null | undefined): Profile {
  if (surroundings === null || surroundings === undefined) return profile
  return { ...profile, data: { ...profile.data, surroundings } }
}

type Served = Pick<Exchange, 'request' | 'log'>

/** As for what is there: the ending of the address, then Accept. In each form it says the same for all (SPEC 5.3). */
function formOf({ request }: Pick<Exchange, 'request'>): ProfileForm {
  return pageForm(request.path, request.header('accept'))
}
