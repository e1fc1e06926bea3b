// What the application's own code dumped during the request, masked: each value under the place it came from.

import { StackFrames } from '../../errors/stack-frames.ts'
import { counted, formatDuration } from '../../base/html/components.ts'
import { place, recorded } from '../blocks/blocks.ts'
import { keptNote, type DescribedPart } from '../blocks/described-part.ts'
import type { DumpedValue } from '../../base/redact/redactor.ts'
import type { RecordedDump } from '../dump.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'

export interface Dump extends DumpedValue, Pick<RecordedDump, 'label' | 'timeMs'> {
  /** Function that dumped it, or `null` for one without a name and at the top level of a file. */
  readonly functionName: string | null
  /** `app/basket.ts:12`; `null` if the stack does not say. */
  readonly place: string | null
}

export interface DumpData {
  readonly dumps: readonly Dump[]
  /** Dumps that were not kept: too many, or too large for the profile. */
  readonly dropped: number
}

/** Gathers the dumps; nothing if nothing was dumped. Places are relative to `projectRoot`, an absolute path. */
export function dumpCollector(projectRoot: string): BuiltInCollector<DumpData> {
  const frames = new StackFrames(projectRoot)
  return {
    name: 'dump',
    collect: ({ parts: { dumps: recorded } }) => {
      if (recorded === undefined) return undefined
      return { dumps: recorded.dumps.map((dump) => finished(dump, frames)), dropped: recorded.dropped }
    },
    cut: ({ dumps, dropped }, maxBytes) => {
      const fitting = cutList(dumps, maxBytes)
      return { dumps: fitting, dropped: dropped + dumps.length - fitting.length }
    },
  }
}

function finished({ stack, ...dump }: RecordedDump, frames: StackFrames): Dump {
  const [frame] = frames.read(stack, '', { maxFrames: 1, maxExcerpts: 0 })
  return {
    ...dump,
    functionName: frame?.functionName ?? null,
    place: frame === undefined ? null : `${frame.file}:${frame.line}`,
  }
}

export const dumpPart: DescribedPart<DumpData> = {
  name: 'dump',
  title: 'Dumps',
  noun: 'dump',
  empty: 'Nothing was dumped. dump(value) shows a value here, with file and line.',
  badge: ({ dumps, dropped }) => ({
    count: dumps.length + dropped,
    tone: 'neutral',
    hint: counted(dumps.length + dropped, 'dump'),
  }),
  draw: ({ dumps, dropped }) => [
    keptNote(dumps.length, dropped, 'dumps'),
    ...dumps.map(
      (dump) =>
        ({
          kind: 'card',
          head: null,
          name: recorded(dump.label ?? dump.functionName) ?? place(dump.place) ?? 'unknown location',
          time: null,
          facts: [
            (dump.label ?? dump.functionName) === null ? null : place(dump.place),
            `after ${formatDuration(dump.timeMs)}`,
          ],
          blocks: [{ kind: 'value', title: null, value: dump }],
        }) as const,
    ),
  ],
}
