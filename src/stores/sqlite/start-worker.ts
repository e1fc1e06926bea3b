// Starts the worker thread of a store.

import { getCompileCacheDir } from 'node:module'
import type { Worker } from 'node:worker_threads'
import type { WorkerStoreOptions } from './worker-store.ts'

/** Sources run unbuilt as `.ts`, the package as `.js`. */
const workerUrl = new URL(`./sqlite-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

/**
 * What the worker keeps of young objects, in megabytes. Left to itself V8 takes as much as for a main thread, 128 MB that stay
 * resident, and is no quicker: what a batch leaves behind is garbage as soon as it is written.
 */
const maxYoungGenerationSizeMb = 12

/** A worker of its own, without the flags and the environment of the process; compiled code is kept where the process keeps its own. */
export function startWorker(options: WorkerStoreOptions): Worker {
  const cache = getCompileCacheDir()
  const env = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
  const resourceLimits = { maxYoungGenerationSizeMb }
  // Loaded when there is a thread to start, which no first answer waits for.
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads')
  return new Thread(workerUrl, { name: 'fanlight-sqlite', workerData: options, execArgv: [], env, resourceLimits })
}
