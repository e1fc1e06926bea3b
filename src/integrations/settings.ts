// The settings of a process, and the line that says where its profiler is.

import cluster from 'node:cluster'
import type { Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { loadObservedContext } from '../framework/config/observed-context.ts'
import { ownVariables } from '../framework/config/own-variables.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { isLoopback } from '../framework/config/variables.ts'
import type { Notes } from './notes.ts'

/** Reads them; what cannot be used is noted, and is a line on standard error. `server`: the first one that listens. */
export function loadSettings(server: Server | undefined, notes: Notes): RuntimeContext {
  const { context, warnings } = loadObservedContext({ cwd: process.cwd(), env: process.env, debug: true })
  for (const warning of warnings) {
    notes.add(warning)
    process.stderr.write(`fanlight: ${warning}\n`)
  }
  const { host, port } = placeOf(server) ?? { host: '::', port: 0 }
  // What listens without naming an address is open to all, which nobody asked for.
  return Object.freeze({ ...context, host: host === '::' ? '127.0.0.1' : host, port })
}

/** Writes the line, once for the workers of a cluster and not in tests. `readEntry` starts the profiler and gives `/_profiler/?key=…`. */
export async function announce(
  server: Server,
  settings: RuntimeContext,
  profilerPath: string,
  readEntry: () => Promise<string | undefined>,
): Promise<void> {
  const { env } = process
  const place = placeOf(server)
  const worker = cluster.worker?.id ?? 1
  if (place === undefined || worker > 1 || settings.env === 'test') return
  const { profilerKey } = settings
  const hasKey = profilerKey === null ? !isLoopback(settings.host) : profilerKey !== 'off'
  // A key is new at each start. What runs in production may keep what is printed.
  const isShown = hasKey && (env['NODE_ENV'] !== 'production' || (profilerKey !== null && profilerKey !== 'on'))
  if (!isShown && Number(env[ownVariables.restarts] ?? 1) > 1) return
  const entry = isShown ? await readEntry() : `${profilerPath}/`
  if (entry === undefined) return
  const { name, advice } = reachableName(place.host, settings.allowedHosts)
  const scheme = 'setSecureContext' in server ? 'https' : 'http'
  process.stderr.write(`Fanlight: ${scheme}://${name}:${place.port}${entry}${advice}\n`)
}

function placeOf(server: Server | undefined): { readonly host: string; readonly port: number } | undefined {
  const address = server?.address() ?? null
  return address === null || typeof address === 'string' ? undefined : { host: address.address, port: address.port }
}

/** A name that reaches the address and that the profiler allows. */
function reachableName(
  host: string,
  allowedHosts: readonly string[],
): { readonly name: string; readonly advice: string } {
  const own = isIPv6(host) ? `[${host}]` : host
  if (allowedHosts.includes(own)) return { name: own, advice: '' }
  const isNear = host === '::' || host === '0.0.0.0' || isLoopback(host)
  const isOther = (allowed: string): boolean => !isLoopback(allowed) && allowed !== '[::1]'
  const name = allowedHosts.find((allowed) => !allowed.startsWith('*.') && (isNear || isOther(allowed)))
  return name === undefined ? { name: own, advice: ` (set FANLIGHT_ALLOWED_HOSTS=${own})` } : { name, advice: '' }
}
