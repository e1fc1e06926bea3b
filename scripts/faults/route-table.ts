// How fast large route tables are built and asked (F32).

import { UrlMatcher } from '../../src/routing/url-matcher.ts'
import { makeContext } from '../../test/framework/routing/support/vectors.ts'
import { largeRouteTable } from '../../test/support/large-route-table.ts'
import type { FaultResult } from './fault.ts'
import { quantile } from './place.ts'

const size = 10_000
const rounds = 20_000

/** F32: 10,000 fixed paths and 10,000 with parameters; found and missed, at the beginning and the end. */
export async function largeTables(): Promise<FaultResult> {
  const before = process.cpuUsage()
  const matcher = new UrlMatcher(largeRouteTable(size))
  matcher.find(makeContext({ path: '/' }))
  // Time of the processor: what else the machine does is not counted.
  const buildMs = process.cpuUsage(before).user / 1000
  const hits = [0, size / 2, size - 1].flatMap((index) => [
    measure(matcher, `/fixed/page-${index}`),
    measure(matcher, `/area-${index % 100}/seven/list-${index}/9`),
  ])
  const misses = ['/nothing', '/fixed/page-x', '/area-7/seven/list-8/9', '/area-100/a/b/c'].map((path) =>
    measure(matcher, path),
  )
  const p99 = quantile([...hits, ...misses].flat(), 0.99)
  const medians = [...hits, ...misses].map((values) => quantile(values, 0.5))
  const hit = Math.max(...medians.slice(0, hits.length))
  const miss = Math.max(...medians.slice(hits.length))
  return {
    fault: 'F32',
    title: '10,000 fixed routes and 10,000 with parameters',
    criterion: 'build < 1 s for each 10,000; match p99 < 100 µs; a miss costs <= 5 x a hit',
    observed: `built in ${Math.round(buildMs)} ms; p99 ${(p99 * 1000).toFixed(1)} µs; median of the slowest hit ${(hit * 1000).toFixed(2)} µs, of the slowest miss ${(miss * 1000).toFixed(2)} µs`,
    isMet: buildMs < 2000 && p99 < 0.1 && miss <= hit * 5,
  }
}

/** Milliseconds of many look-ups of one path, the first ones left out. */
function measure(matcher: UrlMatcher, path: string): readonly number[] {
  const context = makeContext({ path })
  const taken: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    matcher.find(context)
    taken.push(performance.now() - started)
  }
  return taken.slice(rounds / 10)
}
