// What draws one kind of facts. Pure: data in, markup out.

import type { EditorLink } from '../http/config/editor-link.ts'
import type { SafeHtml } from '../base/html/html.ts'
import type { PanelBadge } from '../observe/blocks/described-part.ts'
import type { PlannedQuery } from '../observe/outgoing/query-plans.ts'
import type { Profile, ProfileType } from '../observe/profile.ts'

export type { PanelBadge }

/** What a panel knows in addition to its own data. */
export interface PanelView {
  readonly profile: Profile
  /** Address of another profile or panel, relative to the host: `/_profiler/4f…?panel=logger&type=request`. */
  readonly linkTo: (token: string, panel?: string) => string
  /** Makes links that open a place of own code in the reader's editor. Default: none. */
  readonly editor?: EditorLink | undefined
  /** What the address says of the panel's `parameters`, at most 200 characters each. Default: there is no address, as in an exported file. */
  readonly values?: ReadonlyMap<string, string> | undefined
  /** Whether this process can ask for the plan of a query. Default: of none. */
  readonly explains?: (query: PlannedQuery) => boolean
}

/** A few words in the toolbar: `EUR hit`. */
export interface ToolbarNote {
  readonly text: string
  readonly tone: 'neutral' | 'warning' | 'error'
}

/** Draws the data of the collector of the same name. */
export interface Panel<Data = unknown> {
  /** That of its collector, and the value of `?panel=`. */
  readonly name: string
  /** For people: `Logs`. */
  readonly title: string
  /** What it is about; the menu of other profiles leaves it out. Default: all of them. */
  readonly of?: `${ProfileType}s`
  /** Whether the menu leaves it out where its collector had nothing. Default: it is shown. */
  readonly hidesWhenEmpty?: boolean
  /** Whether it shows something of a profile for which its collector had nothing. Default: it does not, and the menu shows it paler. */
  readonly showsWithout?: (profile: Profile) => boolean
  /** Parameters of the address that the panel reads: `['level']`. Default: none. */
  readonly parameters?: readonly string[]
  /** Its data where no collector has it. */
  from?(profile: Profile): Data | undefined
  /** A count beside the name in the list of panels. */
  badge?(data: Data): PanelBadge | undefined
  /** What the toolbar says, for panels of plugins. Default: nothing. */
  toolbar?(data: Data): ToolbarNote | undefined
  /** `data` is `undefined` if the collector had nothing; say so in a sentence. */
  render(data: Data | undefined, view: PanelView): SafeHtml
}
