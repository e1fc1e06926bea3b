// What is compared: the same application with recording off and on, and a plain server without and with OpenTelemetry.

import { fileURLToPath } from 'node:url'
import type { Contestant } from '../http/contestants.ts'
import { isInstalled } from '../http/is-installed.ts'

/** One application twice. */
export interface Pair {
  readonly name: string
  readonly off: Measurable
  readonly on: Measurable
}

/** A contestant, and the further arguments of Node. */
export interface Measurable extends Contestant {
  readonly flags: readonly string[]
}

/** The pairs that can be measured here. `upstream` is the address that `/work` fetches from. */
export function findPairs(upstream: string): readonly Pair[] {
  const ours = { file: path('fanlight.ts'), args: [`--upstream=${upstream}`], flags: [] }
  const plain = { file: path('plain.mjs'), args: [`--upstream=${upstream}`], flags: [] }
  const on = { APP_ENV: 'dev', APP_DEBUG: '1' }
  const off = { name: 'off', ...ours, env: { APP_ENV: 'prod', APP_DEBUG: '0', APP_STORE: 'sqlite:off.db' } }
  const pairs = [
    { name: 'fanlight, sqlite', off, on: { name: 'on', ...ours, env: { ...on, APP_STORE: 'sqlite:bench.db' } } },
    { name: 'fanlight, memory', off, on: { name: 'on', ...ours, env: { ...on, APP_STORE: 'memory:' } } },
    {
      name: 'fanlight, defaults',
      off,
      on: { name: 'on', ...ours, args: [...ours.args, '--defaults'], env: { ...on, APP_STORE: 'sqlite:bench.db' } },
    },
  ]
  if (!isInstalled('@opentelemetry/sdk-node')) {
    console.log('Not installed, and so not measured: OpenTelemetry (npm install --prefix bench)')
    return pairs
  }
  const traced = {
    ...plain,
    flags: [`--import=${path('otel.mjs')}`],
    env: { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
  }
  return [
    ...pairs,
    { name: 'node:http, OpenTelemetry', off: { name: 'plain', ...plain, env: {} }, on: { name: 'traced', ...traced } },
  ]
}

function path(file: string): string {
  return fileURLToPath(new URL(`servers/${file}`, import.meta.url))
}
