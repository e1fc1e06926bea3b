// What a page of the profiler is, beside the profiles themselves: one file that answers, one line in
// `all-pages.ts` and one in `page-routes.ts`.
// Access, forms and the frame are the controller's.

import type { Reply } from '../../framework/http/reply.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { Frame } from './layout.ts'
import type { LiveFeed } from './live/live-feed.ts'
import type { PageRoute } from './page-routes.ts'
import type { PanelSet } from './panel-set.ts'
import type { ProfilerControllerOptions } from './profiler-controller.ts'

/** A page of the profiler. */
export interface ProfilerPage extends PageRoute {
  /** What stands in the band of every page; default: no link leads here. */
  readonly label?: string
  /**
   * Answers a request that was let in. Read-only (SECURITY R8). A `PageAnswer` is given in the form that the client asked
   * for: by its ending (`groups.json`, `groups.md`), then by Accept. A `Reply` is sent as it is.
   */
  answer(exchange: Exchange, tools: PageTools): Promise<PageAnswer | Reply>
}

/** One answer in three forms; only the one that was asked for is made. */
export interface PageAnswer {
  /** Default 200. */
  readonly status?: number
  /** What of the address means nothing and was left out, one sentence each: said on top of the page. Default: nothing. */
  readonly ignored?: readonly string[]
  readonly html: () => FrameParts
  /** Says itself what was left out, as `ignored`. */
  readonly json: () => unknown
  /** Whatever comes from a request stands in code spans and fences (`errors/markdown-text.ts`). */
  readonly markdown: () => string
}

/** What a page puts into the frame. */
export type FrameParts = Pick<Frame, 'title' | 'headline' | 'content'> &
  Partial<Pick<Frame, 'tone' | 'menu' | 'search' | 'styles' | 'scripts'>>

/** What a page works with. */
export interface PageTools {
  /** Profiles, route table, path of the profiler: what the controller was made of. Read through `fromStore`. */
  readonly options: ProfilerControllerOptions
  readonly panels: PanelSet
  /** Tells of new profiles. */
  readonly live: LiveFeed
  /** Address of a profile or one of its panels, relative to the host. */
  readonly linkTo: (token: string, panel?: string) => string
  /** The answer for what is not there: one and the same for all (SPEC 5.3). */
  readonly missing: (exchange: Pick<Exchange, 'context'>) => Reply
}
