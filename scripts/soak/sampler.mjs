// Loaded into the soaked process before everything else: on SIGUSR2 it collects garbage and appends one line of figures to the
// file named by SOAK_SAMPLES. Knows nothing of the application.

import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const path = process.env.SOAK_SAMPLES
if (isMainThread && path !== undefined) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  process.on('SIGUSR2', () => {
    collect()
    const { rss, heapUsed, external } = process.memoryUsage()
    const resources = process.getActiveResourcesInfo()
    const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
    // Connections and their timers come and go with the load.
    const lasting = resources.filter((name) => name !== 'TCPSocketWrap' && name !== 'Timeout' && name !== 'Immediate')
    process.stderr.write(JSON.stringify(Object.fromEntries(Object.entries(Object.groupBy(resources, (n) => n)).map(([k, v]) => [k, v.length]))) + "\n");const figures = { rss, heapUsed, external, lasting: lasting.length, all: resources.length, listeners }
    appendFileSync(path, `${JSON.stringify(figures)}\n`)
  })
}
