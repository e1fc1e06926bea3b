// Who serves which slot, as one node tells it. A server without cluster mode serves them all.

import { slotCount } from './key-slot.ts'
import { hostOf, nameOf } from './redis-address.ts'
import { accepted, defaultPatienceMs, infoOf, type RedisReply } from './redis-command.ts'
import { failureOf, RedisFailure } from './redis-failure.ts'
import type { RedisLink } from './redis-link.ts'

export interface Topology {
  /** False for a server without cluster mode. */
  readonly isCluster: boolean
  /** By slot: the name of its primary, `undefined` if nobody serves it. */
  readonly owners: readonly (string | undefined)[]
  /** The names of primaries that have a replica which is not known to have failed. */
  readonly backed: ReadonlySet<string>
}

/** The result of the first node that responds. Rejects with the most telling `RedisFailure` if none does. */
export async function firstTopology(links: readonly RedisLink[]): Promise<Topology> {
  try {
    return await Promise.any(links.map(askTopology))
  } catch (error) {
    const failures = error instanceof AggregateError ? error.errors.map(failureOf) : [failureOf(error)]
    throw failures.find(({ code }) => code !== 'DOWN') ?? failures[0] ?? error
  }
}

/** What this node says. Rejects with a `RedisFailure`. */
export async function askTopology(link: RedisLink): Promise<Topology> {
  const [slots = null] = await link.send([['cluster', 'slots']], defaultPatienceMs, false)
  if (!(slots instanceof RedisFailure)) return { isCluster: true, ...ownersOf(slots, link.name) }
  // "This instance has cluster support disabled", or no such command at all.
  if (slots.code !== 'ERR') throw slots
  const [info] = accepted(await link.send([['info', 'replication']], defaultPatienceMs, false))
  if (infoOf(info)('role') !== 'master') throw new RedisFailure('READONLY', `${link.name} is a replica`)
  return { isCluster: false, owners: Array<string>(slotCount).fill(link.name), backed: new Set() }
}

/** `asked` is the node that responds: it leaves its own name out if it does not know it. */
function ownersOf(slots: RedisReply, asked: string): Pick<Topology, 'owners' | 'backed'> {
  const owners = Array<string | undefined>(slotCount).fill(undefined)
  const backed = new Set<string>()
  const ranges = Array.isArray(slots) ? (slots as readonly RedisReply[]) : []
  for (const range of ranges) {
    if (!Array.isArray(range)) continue
    const [from, to, primary, ...replicas] = range as readonly RedisReply[]
    if (!Array.isArray(primary)) continue
    const [host, port] = primary as readonly RedisReply[]
    const name = nodeName(String(host ?? ''), Number(port), asked)
    owners.fill(name, Number(from), Number(to) + 1)
    if (replicas.length > 0) backed.add(name)
  }
  if (ranges.length === 0) throw new RedisFailure('CLUSTERDOWN', `${asked}: no node of the cluster serves a slot yet`)
  return { owners, backed }
}

/** The name of the node that a redirection such as `MOVED 3999 127.0.0.1:6381` leads to. */
export function redirectedTo({ message }: RedisFailure, asked: string): string | undefined {
  const [, , target = ''] = message.split(' ')
  const colon = target.lastIndexOf(':')
  return colon < 0 ? undefined : nodeName(target.slice(0, colon), Number(target.slice(colon + 1)), asked)
}

function nodeName(host: string, port: number, asked: string): string {
  return nameOf({ host: host === '' || host === '?' ? hostOf(asked).host : host, port })
}
