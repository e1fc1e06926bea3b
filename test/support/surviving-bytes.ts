// Counts what a piece of work leaves in memory for full collections: what collections of the young have not taken away.

import { Session, type HeapProfiler } from 'node:inspector/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes that are still held after `work` has run `times` times, each time followed by a collection of the young; nearly. */
export async function survivingBytes(work: () => Promise<void>, times: number): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'major' | 'minor' }) => void
  const session = new Session()
  session.connect()
  // What is held now is old from here on, and tables that come and go show that they hold what stood in them.
  collect({ type: 'major' })
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 1024,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: false,
  })
  for (let time = 0; time < times; time += 1) {
    await work()
    collect({ type: 'minor' })
  }
  collect({ type: 'minor' })
  const { profile } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()
  return bytesBelow(profile.head)
}

function bytesBelow({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  let bytes = selfSize
  for (const child of children) bytes += bytesBelow(child)
  return bytes
}
