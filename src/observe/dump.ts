// `dump(value)` shows a value in the profile of the running request, masked, with the line that dumped it.

import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { Recording, KeptName } from '../http/recording/recording.ts'
import type { DumpedValue } from '../base/redact/redactor.ts'
import { maxTags, tagName } from './profile.ts'

export interface RecordedDump extends DumpedValue {
  readonly label: string | null
  /** Milliseconds since the request began. */
  readonly timeMs: number
  /** The stack that leads to the call of `dump`. */
  readonly stack: string
}

export interface RecordedDumps {
  readonly dumps: RecordedDump[]
  /** Dumps beyond the limit. */
  dropped: number
}

/** Dumps kept per request. */
const maxDumps = 100
const limits = { maxTotalLength: 16_384, maxDepth: 8 } as const
export const dumpName: KeptName<RecordedDumps> = 'dump'

/**
 * Puts a value into the profile of the current request, with file and line, and gives it back: `save(dump(order))`. `label`
 * is shown beside it. Never throws, whatever the value; at most 100 a request are kept, each with about 16 KB.
 */
export function dump<Value>(value: Value, label?: string): Value {
  const recording = currentExchange()?.recording
  if (recording !== undefined) keep(recording, value, label, dump)
  return value
}

function keep(recording: Recording, value: unknown, label: string | undefined, below: typeof dump): void {
  const kept = recording.keptOr(dumpName, (): RecordedDumps => ({ dumps: [], dropped: 0 }))
  if (kept.dumps.length >= maxDumps) {
    kept.dropped += 1
    return
  }
  const place: { stack?: unknown } = {}
  Error.captureStackTrace(place, below)
  const { redactor } = recording
  const name = label === undefined ? null : String(label).slice(0, 200)
  // A value is masked by its label as by a key: dump(password, 'password').
  const key = name ?? 'value'
  kept.dumps.push({
    ...redactor.dumped({ [key]: value }, key, limits),
    label: name === null ? null : redactor.text(name),
    timeMs: recording.stopwatch.elapsedMs(),
    stack: typeof place.stack === 'string' ? place.stack : '',
  })
}

export const tagsName: KeptName<readonly string[]> = 'tags'

/**
 * Marks the profile of the current request, and that of the request which it is a part of. Lists show tags and filter by them
 * (`?tag=checkout`, `fanlight profiles list --tag checkout`). White space becomes one space, what is longer than 40 characters is
 * cut, and secrets are masked. A profile has at most 20 tags; further ones are left out, and a note says so. Does nothing outside
 * a recorded request.
 */
export function tag(...names: readonly string[]): void {
  let recording = currentExchange()?.recording
  for (; recording !== undefined; recording = recording.parent) add(recording, names)
}

function add(recording: Recording, names: readonly string[]): void {
  const tags = new Set(recording.kept(tagsName))
  for (const name of names) {
    const text = tagName(recording.redactor.text(String(name)))
    if (text === '' || tags.has(text)) continue
    if (tags.size === maxTags) {
      const isNoted = recording.notes.some(({ source }) => source === tagsName)
      if (!isNoted) recording.note(tagsName, `only the first ${maxTags} tags are kept.`)
      break
    }
    tags.add(text)
  }
  recording.keep(tagsName, [...tags])
}
