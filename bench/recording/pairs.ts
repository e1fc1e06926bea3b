// What is compared: the same application with recording off and on, and a server without and with OpenTelemetry.

import { fileURLToPath } from 'node:url'
import type { Contestant } from '../http/contestants.ts'

/** One application twice. */
export interface Pair {
  readonly name: string
  readonly off: Contestant
  readonly on: Contestant
}

/** The pairs that can be measured here. `upstream` is the address that `/work` fetches from. */
export function findPairs(upstream: string): readonly Pair[] {
  const ours = { file: path('fanlight.ts'), args: [`--upstream=${upstream}`] }
  const on = { APP_ENV: 'dev', APP_DEBUG: '1' }
  const off = { APP_ENV: 'prod', APP_DEBUG: '0', APP_STORE: 'sqlite:off.db' }
  return [
    {
      name: 'fanlight, sqlite',
      off: { name: 'off', ...ours, env: off },
      on: { name: 'on', ...ours, env: { ...on, APP_STORE: 'sqlite:bench.db' } },
    },
    {
      name: 'fanlight, memory',
      off: { name: 'off', ...ours, env: off },
      on: { name: 'on', ...ours, env: { ...on, APP_STORE: 'memory:' } },
    },
  ]
}

function path(file: string): string {
  return fileURLToPath(new URL(`servers/${file}`, import.meta.url))
}
