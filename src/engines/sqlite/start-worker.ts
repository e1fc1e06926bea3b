// Starts the worker thread of a store.

import { getCompileCacheDir } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { WorkerStoreOptions } from './worker-store.ts'

/** Sources run unbuilt as `.ts`, the package as `.js`. */
const workerUrl = new URL(`./sqlite-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

/** A worker of its own, without the flags and the environment of the process; compiled code is kept where the process keeps its own. */
export function startWorker(options: WorkerStoreOptions): Worker {
  const cache = getCompileCacheDir()
  const env = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
  return new Worker(workerUrl, { name: 'fanlight-sqlite', workerData: options, execArgv: [], env })
}
