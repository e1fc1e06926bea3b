// A part of a profile, described once: its panel, its Markdown and what agents read are drawn from the same blocks.

import { formatCount } from '../../base/html/components.ts'
import type { Profile, ProfileType } from '../profile.ts'
import type { Blocks, Block } from './blocks.ts'

/** A count beside a panel's name. */
export interface PanelBadge {
  readonly count: number
  readonly tone: 'neutral' | 'warning' | 'error'
  /** What is counted, for who points at it or hears it: `1 finding, 30 statements`. Default: nothing is said. */
  readonly hint?: string
}

export interface DescribedPart<Data = unknown> {
  /** Of its collector and its panel. */
  readonly name: string
  /** Of its panel, for people. */
  readonly title: string
  /** What profiles it is about. Default: all. */
  readonly of?: `${ProfileType}s` | undefined
  /** Whether the menu leaves it out where there is nothing. Default: it is shown, paler. */
  readonly hidesWhenEmpty?: boolean
  /** What one card is about: `mail`. Default: `entry`. */
  readonly noun?: string
  /** Of the address of its panel: `['from']` where it may have many cards. Default: none. */
  readonly parameters?: readonly string[]
  /** What is said if nothing happened. */
  readonly empty: string | ((profile: Profile) => string)
  /** Its data where no collector has it: from those of others. */
  from?(profile: Profile): Data | undefined
  badge?(data: Data): PanelBadge | undefined
  draw(data: Data, profile: Profile): Blocks
  /** What Markdown and agents read in place of that. */
  brief?(data: Data, profile: Profile): Blocks
}

/** Says what is missing; nothing if nothing is. */
export function keptNote(kept: number, dropped: number, what: string): Block | null {
  if (!(dropped > 0)) return null
  return { kind: 'note', text: `${formatCount(kept)} of ${formatCount(kept + dropped)} ${what} recorded.` }
}
