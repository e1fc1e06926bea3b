// Serves the profiler's routes: decides access, calls the page, and sends its result in the requested format.

import { performance } from '../base/timing/builtins.ts'
import { createNonce } from '../base/html/document.ts'
import { html } from '../base/html/html.ts'
import { Reply } from '../base/http/reply.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { lazy } from '../http/kernel/lazy.ts'
import { profilerRefused } from '../base/log/lines.ts'
import { missingProfile, pageForm, latestPage } from '../pages/asked-part.ts'
import { changesPage, explainPage, mailPage, reportPage } from '../pages/pages-of-a-profile.ts'
import { comparePage } from '../analysis/pages/compare/compare-page.ts'
import { errorStateForm, errorStatePage, skippedForm, skippedPage, rowsPage } from '../analysis/pages/question-forms.ts'
import { renderProfileMarkdown } from '../analysis/export/export-forms.ts'
import { panelAssets } from '../analysis/pages/panels.ts'
import { exportPage } from '../analysis/pages/export/export-page.ts'
import type { FoundErrors } from '../analysis/questions/errors.ts'
import { questions } from '../analysis/questions/all.ts'
import { notFromHere, notFromOwnPage } from '../pages/access.ts'
import { heading, renderFrame, type FrameLink } from '../pages/layout.ts'
import { listPage } from '../pages/list-page.ts'
import { pauseNotice, pausePage, recordingButton } from '../pages/pause-page.ts'
import { pageNotes, withPageNotes } from '../pages/notes.ts'
import { keysScript, palettePage } from '../pages/palette.ts'
import { profilePage } from '../pages/profile-page.ts'
import type {
  FrameParts,
  PageAnswer,
  PageTools,
  ProfilerControllerOptions,
  ProfilerPage,
} from '../pages/profiler-page.ts'
import { UnreadableStoreError, unreadableRetryAfter } from '../pages/profiler-page.ts'
import { profilerJson, profilerMarkdown, profilerPage, profilerRedirect } from '../pages/profiler-reply.ts'
import { problemAnswer } from '../pages/posted-form.ts'
import { pageRoutes, pagesInBar, type OtherAddress, type PageRoute } from './profiler-routes.ts'
import { questionPage, type QuestionForm } from '../pages/question-page.ts'
import { reloadPage } from '../pages/reload-page.ts'
import { replayFormPage, replayPage } from '../analysis/pages/replay/replay-page.ts'

/** What questions let people change, by their names. */
const forms: Readonly<Record<string, QuestionForm>> = {
  errors: (found, tools) => errorStateForm(found as FoundErrors, tools),
  routes: (_, tools) => skippedForm(tools),
}

/** By their paths. */
const pages: ReadonlyMap<string, ProfilerPage> = new Map([
  ...questions.map((question) => [question.name, questionPage(question, forms[question.name])] as const),
  ['', listPage],
  ['latest', latestPage],
  ['palette', palettePage],
  ['compare', comparePage],
  ['changes', changesPage],
  ['reload', reloadPage],
  ['export', exportPage],
])

/** A form that changes something is sent by a page of this site on this machine, a report by a page of this origin. */
const others: Readonly<
  Record<Exclude<OtherAddress, 'agents'>, readonly [ProfilerPage, refusalOf?: typeof notFromHere]>
> = {
  show: [profilePage],
  mail: [mailPage],
  replayForm: [replayFormPage],
  replay: [replayPage, notFromHere],
  explain: [explainPage, notFromHere],
  pause: [pausePage, notFromHere],
  skipped: [skippedPage, notFromHere],
  errorState: [errorStatePage, notFromHere],
  rows: [rowsPage, notFromHere],
  report: [reportPage, notFromOwnPage],
}

/** The pages of the profiler. A GET changes nothing (SECURITY R8). A plan is asked for without running its query; a replay is sent. Recording is paused and the application started once more by a POST. */
export class ProfilerController {
  readonly #options: ProfilerControllerOptions
  readonly #tools: PageTools
  readonly #agents = lazy(async () => {
    const { AgentEndpoint } = await import('../analysis/agents/agent-endpoint.ts')
    return new AgentEndpoint(this.#options)
  })
  readonly #agentPage: ProfilerPage = async (exchange) => (await this.#agents()).answer(exchange)

  constructor(options: ProfilerControllerOptions) {
    const { profilerPath } = options
    this.#options = options
    this.#tools = {
      madeAtMs: performance.timeOrigin + performance.now(),
      options,
      // Of one name the last counts.
      panels: [...new Map(options.panels.map((panel) => [panel.name, panel])).values()],
      panelAssets,
      markdownOf: renderProfileMarkdown,
      linkTo: (token, panel) => `${profilerPath}/${token}${panel === undefined ? '' : `?panel=${panel}&type=request`}`,
      missing: missingProfile(profilerPath),
    }
  }

  /** One of the pages beside the profiles. */
  async page({ path }: PageRoute, exchange: Exchange): Promise<Reply> {
    return this.#answer(
      exchange,
      pages.get(path) ?? (async (_, { missing }) => missing),
      `${this.#options.profilerPath}/${path}`,
    )
  }

  async serve(address: OtherAddress, exchange: Exchange): Promise<Reply> {
    const [page, refusalOf] = address === 'agents' ? [this.#agentPage] : others[address]
    const reason = refusalOf?.(exchange.request) ?? null
    if (reason === null) return this.#answer(exchange, page)
    exchange.log.write(profilerRefused({ reason, peer: exchange.request.peerAddress }))
    return this.#options.access.refused()
  }

  /** Decides access before any work is done; a store that cannot be read makes a page that says so. */
  async #answer(exchange: Exchange, page: ProfilerPage, current?: string): Promise<Reply> {
    const { request } = exchange
    const { access, profilerPath } = this.#options
    // Matching decodes a path; our addresses can only be written in one way (threat T69).
    const isSpelledAsIs = request.path.startsWith(`${profilerPath}/`) && !request.path.includes('%')
    const entered = isSpelledAsIs ? access.exchange(request) : null
    if (entered !== null) return entered
    const reason = await access.refusal(request)
    if (reason !== null) {
      exchange.log.write(profilerRefused({ reason, peer: request.peerAddress }))
      return access.refused()
    }
    const query = withoutEmpty(request)
    if (request.method === 'GET' && isSpelledAsIs && query !== request.rawQuery && isPage(request)) {
      return profilerRedirect(query === '' ? request.path : `${request.path}?${query}`)
    }
    // Side by side: both may wait for the store.
    const more = isPage(request) ? this.#pagesUnderMore() : []
    try {
      const answer = isSpelledAsIs ? await page(exchange, this.#tools) : this.#tools.missing
      return answer instanceof Reply ? answer : this.#send(exchange, answer, await more, current)
    } catch (error) {
      if (!(error instanceof UnreadableStoreError)) throw error
      return this.#send(exchange, problemAnswer(503, 'Profiles cannot be read', error.message), await more)
    }
  }

  /** Those that are known to have something to show. Never rejects. */
  async #pagesUnderMore(): Promise<readonly PageRoute[]> {
    const linked = pageRoutes.filter(({ label, path }) => label !== null && !pagesInBar.includes(path))
    const found = await Promise.allSettled(linked.map(async ({ isThere }) => isThere?.(this.#options) ?? true))
    return linked.filter((_, index) => {
      const one = found[index]
      return one?.status === 'fulfilled' && one.value
    })
  }

  #send(
    { request }: Pick<Exchange, 'request'>,
    answer: PageAnswer,
    more: readonly PageRoute[],
    current?: string,
  ): Reply {
    const { problems = [], status = problems.length === 0 ? 200 : 400 } = answer
    const reply = this.#written(request, status, answer, { more, current })
    return status === 503 ? reply.setHeader('retry-after', unreadableRetryAfter) : reply
  }

  #written(request: Exchange['request'], status: number, answer: PageAnswer, place: Place): Reply {
    const form = pageForm(request.path, request.header('accept'))
    if (form === 'json') return profilerJson(status, answer.json())
    const { recording } = this.#options
    const notes = { ...answer, pause: recording?.pause ?? null }
    if (form === 'markdown') return profilerMarkdown(status, withPageNotes(answer.markdown(), notes))
    const parts = answer.html()
    const content = html`${pauseNotice(recording)}${pageNotes(answer)}${parts.content}`
    return this.#framed(status, { ...parts, content }, place)
  }

  /** A profile, which has no link there, counts as the list. */
  #framed(status: number, { list = '', hasFrames = false, ...parts }: FrameParts, { more, current }: Place): Reply {
    const nonce = createNonce()
    const { profilerPath, recording } = this.#options
    const home = `${profilerPath}/`
    const inBar = pagesInBar.flatMap((path) => pageRoutes.find((page) => page.path === path) ?? [])
    const isLinked = [...inBar, ...more].some(({ path }) => `${home}${path}` === current)
    const linkOf = ({ path, label }: PageRoute): FrameLink => {
      const href = `${home}${path}`
      const isHome = path === ''
      return {
        label: label ?? path,
        href: isHome ? `${href}${list}` : href,
        current: href === current ? 'page' : !isLinked && isHome ? 'true' : 'false',
      }
    }
    const frame = {
      headline: heading(parts.title),
      tone: 'neutral' as const,
      menu: null,
      ...parts,
      nonce,
      profilerPath,
      links: inBar.map(linkOf),
      more: more.map(linkOf),
      recording: recordingButton(recording, profilerPath),
      scripts: [keysScript, ...(parts.scripts ?? [])],
    }
    return profilerPage(status, renderFrame(frame), nonce, hasFrames)
  }
}

interface Place {
  /** Pages under *More*. */
  readonly more: readonly PageRoute[]
  /** Address of the page; `undefined` for one that the bar may not name. */
  readonly current: string | undefined
}

/** A form sends its empty fields, too: they do not stand in an address that is to be kept or shared. On a profile an empty panel or type is a mistake. */
function withoutEmpty({ rawQuery, params }: Exchange['request']): string {
  const empty = params['token'] === undefined ? /^[^=]+=$/ : /^(?!panel|type)[^=]+=$/
  return rawQuery
    .split('&')
    .filter((part) => !empty.test(part))
    .join('&')
}

function isPage(request: Exchange['request']): boolean {
  return pageForm(request.path, request.header('accept')) === 'html'
}
