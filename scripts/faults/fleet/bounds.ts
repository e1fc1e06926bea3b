// Servers that refuse writes: one has no memory left (F-R7), has no replica left or too few, or was made read-only (F-R8).

import { seconds } from '../place.ts'
import type { LoadFault } from './under-load.ts'

const refusedSeconds = 4

/** F-R7: one primary is at its `maxmemory`, and its policy is `noeviction`. */
export const fullMemory: LoadFault = {
  fault: 'F-R7',
  title: `one primary is out of memory for ${refusedSeconds} s`,
  async act({ nodes }) {
    const [primary] = nodes
    await primary?.command('CONFIG', 'SET', 'maxmemory', '1mb')
    await seconds(refusedSeconds)
    await primary?.command('CONFIG', 'SET', 'maxmemory', '0')
    const refused = await errorsOf(primary, 'OOM')
    return `it refused ${refused} commands`
  },
}

/** F-R8: all replicas are killed, so nobody can confirm. */
export const noReplica: LoadFault = {
  fault: 'F-R8',
  title: 'every replica is killed',
  async act({ nodes }) {
    await Promise.all(nodes.slice(3).map((node) => node.kill()))
    await seconds(refusedSeconds)
    return ''
  },
  isMet: ({ unconfirmed }) => unconfirmed > 0,
}

/** F-R8: writes are refused while there are fewer than two replicas, and there is one. */
export const tooFewReplicas: LoadFault = {
  fault: 'F-R8',
  title: `one primary asks for two replicas and refuses writes for ${refusedSeconds} s`,
  async act({ nodes }) {
    const [primary] = nodes
    await primary?.command('CONFIG', 'SET', 'min-replicas-to-write', '2')
    await seconds(refusedSeconds)
    await primary?.command('CONFIG', 'SET', 'min-replicas-to-write', '0')
    const refused = await errorsOf(primary, 'NOREPLICAS')
    return `it refused ${refused} commands`
  },
}

/** F-R8: a primary becomes a read-only replica of its replica, by hand, in the middle of writes. */
export const swappedRoles: LoadFault = {
  fault: 'F-R8',
  title: 'a primary is made a read-only replica by hand (`CLUSTER FAILOVER`)',
  async act({ nodes }) {
    await nodes[3]?.command('CLUSTER', 'FAILOVER')
    await seconds(refusedSeconds)
    return `it is a ${(await nodes[0]?.role()) === 'slave' ? 'replica' : 'primary'} now`
  },
}

/** How often a server has answered with this error. */
async function errorsOf(
  node: { command(...args: string[]): Promise<string> } | undefined,
  name: string,
): Promise<number> {
  const text = (await node?.command('INFO', 'errorstats')) ?? ''
  return Number(new RegExp(`errorstat_${name}:count=(\\d+)`).exec(text)?.[1] ?? 0)
}
