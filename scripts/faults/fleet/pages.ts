// What clients of an application feel while its store is disturbed.

import type { RunningProcess } from '../../../test/support/running-process.ts'
import { ask } from '../fault.ts'
import { quantile, seconds } from '../place.ts'

/** What was seen of pages. */
export interface PageFigures {
  readonly requests: number
  /** Other responses than 200, and none at all. */
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly slowestMs: number
  /** Each page: when it was asked for, by `performance.now()`, and its duration. */
  readonly samples: readonly PageSample[]
}

export interface PageSample {
  readonly atMs: number
  readonly ms: number
}

/** Asks for a page that shows prices, so currencies are read for it, 50 times a second, whether the last one was answered or not. */
export async function measurePages({ url }: RunningProcess, forSeconds: number): Promise<PageFigures> {
  const samples: PageSample[] = []
  const asked: Promise<void>[] = []
  let failed = 0
  const askOne = async (): Promise<void> => {
    const atMs = performance.now()
    const status = await ask(`${url}/products`).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status !== 200) failed += 1
    samples.push({ atMs, ms: performance.now() - atMs })
  }
  const startedMs = performance.now()
  while (performance.now() - startedMs < forSeconds * 1000) {
    const due = Math.floor((performance.now() - startedMs) / 20)
    while (asked.length < due) asked.push(askOne())
    await seconds(0.005)
  }
  await Promise.all(asked)
  const taken = samples.map(({ ms }) => ms)
  return {
    requests: taken.length,
    failed,
    p50Ms: quantile(taken, 0.5),
    p99Ms: quantile(taken, 0.99),
    slowestMs: quantile(taken, 1),
    samples,
  }
}

/** `250 pages, 0 failed, p50 2.1 ms, p99 8.0 ms` */
export function describePages({ requests, failed, p50Ms, p99Ms }: PageFigures): string {
  return `${requests} pages, ${failed} failed, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`
}
