// What the status page and the command line tell about recording.

import { hostname } from 'node:os'
import { performance, wallMs } from '../../base/timing/builtins.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { withinBudget } from '../../http/kernel/within-budget.ts'
import type { ProfileStoreStats } from '../profile-store.ts'
import type { ProfileWriterStats } from '../profile-writer.ts'
import type { RecordingPause } from '../set-by-people.ts'
import type { Sampler, SamplerCounts } from './sampler.ts'

export interface RecorderStatus {
  /** Milliseconds since 1970 (UTC). */
  readonly takenAt: number
  /** For how long requests have been recorded, in milliseconds. */
  readonly runningMs: number
  /** Name of the machine, or of the container. */
  readonly host: string
  readonly processId: number
  /** Name and version: Fanlight, Node. */
  readonly versions: readonly (readonly [name: string, version: string])[]
  readonly store: StoreStatus
  readonly decided: SamplerCounts
  readonly queue: ProfileWriterStats
  /** Lines of the process log that could not be written; `null` if the log does not say. */
  readonly lostLogLines: number | null
  /** `null` while recording is not paused by hand. */
  readonly pause: RecordingPause | null
  readonly cost: CostStatus
  /** Traces that are sent and received. */
  readonly otlp: OtlpStatus
  /** What the host says of itself, one sentence each. */
  readonly notes: readonly string[]
}

export interface StoreStatus {
  /** For people: `sqlite:var/fanlight.db`. */
  readonly name: string
  /** Why it is not the one that was asked for, or `null`. */
  readonly problem: string | null
  /** `null` while it cannot be read; `failure` says why. */
  readonly stats: ProfileStoreStats | null
  readonly failure: string | null
}

/** What recording costs the main thread: beginning, collecting, handing over. Spans and log lines of the request itself are not in it. */
export interface CostStatus {
  /** Share of the processor time that the process has used since the start, 0 to 1; `null` for a process that is idle for the most part. */
  readonly cpuShare: number | null
  /** Mean of one recorded request, in microseconds. */
  readonly requestUs: number
}

export interface StatusSource {
  /** Never rejects: a store that fails is part of the status. */
  read(): Promise<RecorderStatus>
  /** What was lost so far, without asking the store. */
  losses(): Losses
}

/** Requests without a profile, by reason. What the rules leave out on purpose is apart from what was lost. */
export interface Losses extends Pick<SamplerCounts, 'sampledOut' | 'overPace' | 'notAsked' | 'paused'> {
  /** The queue was full, or the store did not take them. */
  readonly dropped: number
}

interface StatusParts {
  readonly sampler: Sampler
  readonly writer: { readonly stats: ProfileWriterStats }
  readonly store: { readonly name: string; stats(): Promise<ProfileStoreStats> }
  /** Why the store is not the one that was asked for, or `null`. */
  readonly storeProblem: string | null
  readonly lostLogLines: () => number | null
  readonly versions: RecorderStatus['versions']
  readonly notes: () => readonly string[]
  readonly otlp: () => OtlpStatus
}

/** How long the store may take to tell how full it is, in milliseconds: longer than it waits for parts that do not respond. */
const storeBudgetMs = 2500

/** Reads the status of a profiler; its clocks start now. */
export function recorderStatus(parts: StatusParts): StatusSource {
  const { sampler, writer, storeProblem: problem, versions } = parts
  const startedMs = performance.now()
  const cpuBefore = process.cpuUsage()
  return {
    read: async () => {
      const runningMs = performance.now() - startedMs
      const { user, system } = process.cpuUsage(cpuBefore)
      return {
        takenAt: wallMs(),
        runningMs,
        host: hostname(),
        processId: process.pid,
        versions,
        store: { name: parts.store.name, problem, ...(await statsOf(parts.store)) },
        decided: sampler.counts,
        queue: writer.stats,
        lostLogLines: parts.lostLogLines(),
        pause: sampler.pause,
        cost: costOf(sampler, runningMs, (user + system) / 1000),
        otlp: parts.otlp(),
        notes: parts.notes(),
      }
    },
    losses: () => {
      const { sampledOut, overPace, notAsked, paused } = sampler.counts
      const { dropped, refused } = writer.stats
      return { sampledOut, overPace, notAsked, paused, dropped: dropped + refused }
    },
  }
}

async function statsOf(store: StatusParts['store']): Promise<Pick<StoreStatus, 'stats' | 'failure'>> {
  const late = (): Error => new Error(`It did not respond within ${storeBudgetMs} ms.`)
  try {
    return { stats: await withinBudget(store.stats(), storeBudgetMs, late), failure: null }
  } catch (thrown) {
    return { stats: null, failure: describeFailure(thrown).message }
  }
}

/** How busy a process must have been for a share of its CPU time to say something. */
const busyShare = 0.2

function costOf({ cost, counts }: Sampler, runningMs: number, usedCpuMs: number): CostStatus {
  const { totalMs } = cost
  return {
    cpuShare: totalMs > 0 && usedCpuMs >= runningMs * busyShare ? Math.min(1, totalMs / usedCpuMs) : null,
    requestUs: counts.recorded === 0 ? 0 : (totalMs * 1000) / counts.recorded,
  }
}

export interface OtlpStatus {
  /** `null` where `APP_OTLP` is not set. */
  readonly sending: SendingStatus | null
  /** `null` until something comes in. */
  readonly receiving: ReceivingStatus | null
}

/** What came in, counted since the start. */
export interface ReceivingStatus {
  /** Those that were taken. */
  readonly requests: number
  readonly spans: number
  readonly logRecords: number
  /** Not kept: they were incomplete, or too many of one trace. */
  readonly rejectedSpans: number
  readonly rejectedLogRecords: number
  /** Requests that were refused: they cannot be read, are too large, or too many at a time. */
  readonly refused: number
  /** Why the last one was not kept; `null` where all were. */
  readonly problem: string | null
}

/** Profiles that are sent as traces, counted since the start. */
export interface SendingStatus {
  /** Without parameters. */
  readonly address: string
  readonly waiting: number
  readonly sent: number
  /** Given up: too many waited, they were gone from the store, or the process ended. */
  readonly dropped: number
  /** Refused by the receiver. */
  readonly refused: number
  /** Spans that the receiver left out of traces that it accepted. */
  readonly rejectedSpans: number
  /** Requests that failed and were tried again. */
  readonly failures: number
  /** Why the last request failed or was refused; `null` once one has succeeded. */
  readonly problem: string | null
}
