// What the application's own code dumped during the request, masked, with file and line.

import { StackFrames } from '../../errors/stack-frames.ts'
import type { PlainValue } from '../../framework/redact/plain-value.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import type { RecordCollector, RecordingRecord } from '../request-record.ts'
import { keptDumps, type KeptDump, type KeptDumps } from '../dump.ts'
import { cutList } from './cut-list.ts'

/** One dumped value. */
export interface Dump {
  readonly label: string | null
  readonly value: PlainValue
  /** Function that dumped it, or `null` for one without a name and at the top level of a file. */
  readonly functionName: string | null
  /** `app/basket.ts:12`; `null` where the stack does not say. */
  readonly place: string | null
  /** Milliseconds since the request began. */
  readonly timeMs: number
}

/** The dumps of one request. */
export interface DumpData {
  readonly dumps: readonly Dump[]
  /** Dumps that were not kept: too many, or too large for the profile. */
  readonly dropped: number
}

/** Gathers the dumps; nothing where nothing was dumped. Places are relative to `projectRoot`, an absolute path. */
export function dumpCollector(redactor: Redactor, projectRoot: string): RecordCollector<DumpData> {
  const frames = new StackFrames(projectRoot)
  return {
    name: 'dump',
    reads: [],
    // A caught stack cannot be copied to another thread.
    staysHere: ({ recording }) => dumpsOf(recording) !== undefined,
    collect: ({ recording }) => {
      const kept = dumpsOf(recording)
      if (kept === undefined) return undefined
      return { dumps: kept.dumps.map((dump) => finished(dump, redactor, frames)), dropped: kept.dropped }
    },
    cut: ({ dumps, dropped }, maxBytes) => {
      const fitting = cutList(dumps, maxBytes)
      return { dumps: fitting, dropped: dropped + dumps.length - fitting.length }
    },
  }
}

function dumpsOf(recording: RecordingRecord | undefined): KeptDumps | undefined {
  return recording === undefined ? undefined : keptDumps(recording)
}

function finished({ label, value, timeMs, place }: KeptDump, redactor: Redactor, frames: StackFrames): Dump {
  const stack = typeof place.stack === 'string' ? place.stack : ''
  const [frame] = frames.read(stack, '', { maxFrames: 1, maxExcerpts: 0 })
  // A value is masked by its label as by a key: dump(password, 'password').
  const key = label ?? 'value'
  return {
    label: label === null ? null : redactor.text(label),
    value: redactor.record({ [key]: value })[key] ?? null,
    functionName: frame?.functionName ?? null,
    place: frame === undefined ? null : `${frame.file}:${frame.line}`,
    timeMs,
  }
}
