// Loaded into the soaked process before everything else: on SIGUSR2 it waits until no connection is open and the store has
// nothing to do, collects garbage, and appends one line of figures to the file named by SOAK_SAMPLES. Knows nothing of the
// application.

import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Handles of a process at work. */
const busy = new Set(['TCPSocketWrap', 'SimpleShutdownWrap', 'MessagePort', 'Immediate'])
/** How long it may take to come to rest; a sample shows then what is left. */
const patienceMs = 10_000

const path = process.env.SOAK_SAMPLES
if (isMainThread && path !== undefined) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  process.on('SIGUSR2', () => {
    const since = performance.now()
    const timer = setInterval(() => {
      const isBusy = process.getActiveResourcesInfo().some((name) => busy.has(name))
      if (isBusy && performance.now() - since < patienceMs) return
      clearInterval(timer)
      sample()
    }, 20)
  })

  function sample() {
    collect()
    const { rss, heapUsed } = process.memoryUsage()
    const handles = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length
    const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
    appendFileSync(path, `${JSON.stringify({ rss, heapUsed, handles, listeners })}\n`)
  }
}
