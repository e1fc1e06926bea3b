// Lines of the log of many profiles, the newest first.

import { isOfLevel, lineHas } from '../../observe/collectors/logger.ts'
import { fillPlaceholders } from '../../base/log/logger.ts'
import type { Profile, ProfileSummary } from '../../observe/profile.ts'
import { dataOf } from '../stored-data.ts'
import type { Gatherer } from './gatherer.ts'

export interface LinesAsked {
  /** A level, or `problems` for warnings and errors; empty for all. */
  readonly level: string
  /** Text in level, channel, message or context; letter case is ignored. Default: any. */
  readonly words?: string | undefined
  readonly most: number
}

export interface FoundLine extends Pick<ProfileSummary, 'token' | 'method' | 'url'> {
  /** Place among the lines of its profile, from 0. */
  readonly index: number
  /** Milliseconds since 1970. */
  readonly time: number
  readonly level: string
  readonly channel: string
  /** With its values, at most 500 characters. */
  readonly message: string
}

export interface FoundLines {
  readonly lines: readonly FoundLine[]
  /** Older lines of the profiles that were read. */
  readonly omitted: number
}

const maxMessage = 500

export class LinesGatherer implements Gatherer<FoundLines> {
  readonly #asked: LinesAsked
  readonly #lines: FoundLine[] = []

  constructor(asked: LinesAsked) {
    this.#asked = asked
  }

  wants({ logCount }: ProfileSummary): boolean {
    return logCount > 0
  }

  isFull(): boolean {
    return this.#lines.length >= this.#asked.most
  }

  add(profile: Profile): void {
    const { token, method, url, time } = profile
    const { level: wanted, words = '' } = this.#asked
    for (const [index, line] of (dataOf(profile, 'logger')?.records ?? []).entries()) {
      if (!isOfLevel(line, wanted) || !lineHas(line, words)) continue
      const { level, channel, timeMs } = line
      const message = fillPlaceholders(line).slice(0, maxMessage)
      this.#lines.push({ token, method, url, index, time: time + timeMs, level, channel, message })
    }
  }

  found(): FoundLines {
    const newestFirst = this.#lines.sort((one, other) => other.time - one.time || other.index - one.index)
    const lines = newestFirst.slice(0, this.#asked.most)
    return { lines, omitted: newestFirst.length - lines.length }
  }
}
