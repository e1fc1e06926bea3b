// A page of the profiler: a function, listed in `profiler-routes.ts`, that reads profiles through `fromStore`.

import type { SettingPrefix } from '../http/config/variable.ts'
import type { EditorLink } from '../http/config/editor-link.ts'
import { nameError } from '../base/http/http-error.ts'
import type { Reply } from '../base/http/reply.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import type { SafeHtml } from '../base/html/html.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Blocks } from '../observe/blocks/blocks.ts'
import type { BrowserReports } from '../profiles/browser-reports.ts'
import type { RecordingPause, ErrorMarkStore } from '../profiles/set-by-people.ts'
import type { QueryPlanSource } from '../observe/outgoing/query-plans.ts'
import type { Profile } from '../observe/profile.ts'
import type { ProfileReader } from '../profiles/profile-store.ts'
import type { RecordedBy, Replays } from '../profiles/replays.ts'
import type { Frame } from './layout.ts'
import type { PageNotes } from './notes.ts'
import type { Panel } from './panel.ts'
import type { ProfilerAccess } from './profiler-access.ts'
import type { QuestionSources } from './question.ts'

/**
 * Answers a request that passed the access check. Read-only (SECURITY R8). A `PageAnswer` is sent in the format the client
 * asked for: by file extension (`groups.json`, `groups.md`), then by Accept. A `Reply` is sent unchanged.
 */
export type ProfilerPage = (exchange: Exchange, tools: PageTools) => Promise<PageAnswer | Reply>

/** One response in three formats; only the requested one is made. */
export interface PageAnswer extends PageNotes {
  /** Default 200, or 400 with problems. */
  readonly status?: number
  readonly html: () => FrameParts
  /** Must contain `problems`, `ignored` and `missing` itself. */
  readonly json: () => unknown
  /** Anything that comes from a request must be in a code span or fence (`errors/markdown-text.ts`). */
  readonly markdown: () => string
}

/** Default headline: the title. */
export type FrameParts = Pick<Frame, 'title' | 'content'> &
  Partial<Pick<Frame, 'headline' | 'tone' | 'menu' | 'search' | 'styles' | 'scripts' | 'hasPlaces'>> & {
    /** Address of the list that the page came from, below its path: `?status=404`. Default: the whole list. */
    readonly list?: string
    /** Whether it shows pages of the profiler in frames. Default: no. */
    readonly hasFrames?: boolean | undefined
  }

/** What the page of a panel needs beyond the theme. */
export interface PanelAssets {
  readonly styles: readonly SafeHtml[]
  /** The panel is complete without them. */
  readonly scripts?: readonly SafeHtml[]
  /** Whether it shows pages of the profiler in frames. Default: no. */
  readonly hasFrames?: boolean
}

export interface PageTools {
  /** When they were made, in milliseconds since 1970, with fractions: another one is another start of the application. */
  readonly madeAtMs: number
  readonly options: ProfilerControllerOptions
  readonly panels: readonly Panel[]
  /** Nothing for panels of plugins. */
  readonly panelAssets: (name: string | undefined) => PanelAssets
  /** A profile, or a part of `whole`, for tickets, chats and agents. */
  readonly markdownOf: (profile: Profile, whole: Profile) => string
  readonly linkTo: (token: string, panel?: string) => string
  /** The 404 page, identical for everything that is missing (SPEC 5.3). */
  readonly missing: PageAnswer
}

/** Pauses recording for all processes of the store. */
export interface RecordingSwitch {
  /** `null`: it is not paused. */
  readonly pause: RecordingPause | null
  /** Rejects when the store fails. */
  set(pause: RecordingPause | null): Promise<void>
}

export interface ProfilerControllerOptions extends QuestionSources {
  /** How names of settings begin. Default: `APP_`. */
  readonly settingPrefix?: SettingPrefix
  readonly profiles: ProfileReader
  /** In menu order; a later panel replaces an earlier one of the same name. */
  readonly panels: readonly Panel[]
  /** What a further start of the application does not add to them; never rejects. Default: it is not started. */
  readonly askSkipped?: (() => Promise<Blocks>) | undefined
  /** Explains queries. Default: no plans. */
  readonly plans?: QueryPlanSource
  /** Takes reports of pages. Default: they are refused as unknown. */
  readonly browserReports?: Pick<BrowserReports, 'take'>
  /** Sends recorded requests again. Default: no replays. */
  readonly replays?: { readonly replays: Replays; readonly recordedBy: RecordedBy }
  /** States of errors that are set by hand. Default: none can be set. */
  readonly errorMarks?: ErrorMarkStore
  /** Pauses recording. Default: it cannot be paused. */
  readonly recording?: RecordingSwitch
  readonly access: ProfilerAccess
  readonly profilerPath: string
  /** Why profiles are kept in memory only; `null` if they are stored. */
  readonly storeProblem: string | null
  /** Links source lines to the reader's editor. Default: no links. */
  readonly editor?: EditorLink | undefined
}

/** The store could not be read; the message is a sentence for people. */
export class UnreadableStoreError extends Error {}
nameError(UnreadableStoreError)

/** Seconds after which a client may ask again. */
export const unreadableRetryAfter = '2'

/** What `read` gives; whatever it throws becomes an `UnreadableStoreError`. */
export async function fromStore<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (cause) {
    const reason = describeFailure(cause).message
    // No store throws these: code does, and waiting does not help.
    const isFault = cause instanceof TypeError || cause instanceof ReferenceError
    throw new UnreadableStoreError(
      isFault
        ? `Profiles cannot be read: ${reason}`
        : `Profiles cannot be read from the store now: ${reason} Try again in a moment.`,
      { cause },
    )
  }
}
