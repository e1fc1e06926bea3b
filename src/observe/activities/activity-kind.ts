// One kind of activity, described once: what is known of one, how it is masked and cut, and what its panel says. Panels, Markdown and agents
// draw the same blocks.

import type { Redactor } from '../../base/redact/redactor.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { RecordedClient } from '../client/client-state.ts'

/** What every kind has in common. Times are milliseconds since the request started. */
export interface Happening {
  readonly startMs: number
  /** `null` if it did not end, its end is not reported, or it takes no time. */
  readonly durationMs: number | null
  readonly error: string | null
  /** `src/prices.ts:12`; `null` if unknown. */
  readonly callSite: string | null
}

export interface Activities<Facts> {
  readonly entries: readonly (Facts & Happening)[]
  /** Those beyond the limit. */
  readonly dropped: number
}

/** What masking needs to know. */
export interface MaskTools {
  readonly redactor: Redactor
  /** Absolute: files are named relative to it. */
  readonly projectRoot: string
  /** Whether addresses of recipients of mails are kept. */
  readonly capturesRecipients: boolean
}

/** Facts are plain JSON, at most a few KB each, not masked before `mask`. */
export interface ActivityKind<Facts extends object, Data extends Activities<Facts> = Activities<Facts>> {
  /** Of its collector and its panel. */
  readonly name: string
  /** Of its panel, for people. */
  readonly title: string
  readonly noun: readonly [one: string, many: string]
  /** What profiles it is about. Default: all. */
  readonly of?: 'requests'
  /** How many of a request are kept. */
  readonly most: number
  /** What the panel says if nothing happened: one sentence, and how to get something into it. */
  readonly empty: string
  /** What deserves a look. Default: what failed. */
  readonly flag?: { readonly word: string; readonly tone: 'warning' | 'error'; is(entry: Facts & Happening): boolean }
  /** How many things one entry stands for. Default 1. */
  count?(entry: Facts & Happening): number
  /** Said before the count: `2 of 3 reads hit`. Default: nothing. */
  remark?(entries: Data['entries']): string
  /** Every text of a profile is masked; this does what that needs to know of the kind. */
  mask?(entry: Facts & Happening, tools: MaskTools): Partial<Facts & Happening>
  /** Makes entries smaller before later ones are left out. Default: nothing. */
  shrink?(entries: Data['entries'], maxBytes: number): Data['entries']
  /** What is known beside the entries; unless it is all `null`, there is a panel even without one. Default: nothing. */
  beside?(client: RecordedClient | undefined): Omit<Data, keyof Activities<Facts>>
  /** What the panel says of them. */
  draw(data: Data): Blocks
}
