// The settings of a process, and the line that says where its profiler is.

import { makeFolder } from '../base/own-package.ts'
import cluster from 'node:cluster'
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { basename, join } from 'node:path'
import { loadObservedContext, type RuntimeContext } from '../http/config/runtime-context.ts'
import { ownVariables } from '../http/config/own-variables.ts'
import { isLoopback } from '../http/config/variables.ts'
import { keepPlace, storeFolder } from '../app/running-places.ts'
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
  const scheme = 'setSecureContext' in server ? 'https' : 'http'
  const { name, advice } = reachableName(place.host, settings.allowedHosts)
  const origin = `${scheme}://${name}:${place.port}`
  // Commands find the first server.
  if (place.port === settings.port) keepPlace(settings, `${origin}${profilerPath}`)
  const { profilerKey } = settings
  const hasKey = profilerKey === null ? !isLoopback(settings.host) : profilerKey !== 'off'
  // A key is new at each start. What runs in production may keep what is printed.
  const isShown = hasKey && (env['NODE_ENV'] !== 'production' || (profilerKey !== null && profilerKey !== 'on'))
  if (!isShown && Number(env[ownVariables.restarts] ?? 1) > 1) return
  const entry = isShown ? await readEntry() : `${profilerPath}/`
  if (entry === undefined) return
  const line = `Fanlight: ${origin}${entry}${advice}`
  if (isShown || !isSaid(line, settings)) process.stderr.write(`${line}\n`)
}

/** Whether a watcher has started the program before, with the same line; kept beside the store. */
function isSaid(line: string, settings: RuntimeContext): boolean {
  const folder = storeFolder(settings)
  if (folder === undefined) return false
  const file = join(folder, 'fanlight.said')
  try {
    const parent = process.connected ? process.ppid : watcherAt(process.ppid)
    makeFolder(folder)
    const [before, ...lines] = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n')
    const said = before === String(parent) ? lines : []
    if (said.includes(line)) return true
    writeFileSync(file, [parent, ...said, line].join('\n'))
  } catch {
    // Said again.
  }
  return false
}

/** The program of Node that has started a process, also through `sh -c`. Throws if it is none, and where that cannot be read. */
function watcherAt(pid: number): number {
  if (basename(readlinkSync(`/proc/${pid}/exe`)) === basename(process.execPath)) return pid
  const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8')
  if (read('cmdline').split('\0')[1] !== '-c') throw new Error('a shell that somebody uses')
  return watcherAt(Number(/^PPid:\s*(\d+)/m.exec(read('status'))?.[1]))
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
