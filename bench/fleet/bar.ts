// A bar of `bench:fleet`, and processor time of other processes, which tells more than the clock where others use the machine.

import { readdirSync, readFileSync } from 'node:fs'
import type { RedisServers } from '../../test/support/redis-cluster.ts'

/** A row of the table. */
export interface Bar {
  readonly what: string
  readonly asked: string
  readonly seen: string
  /** `null`: a figure that nothing is asked of. */
  readonly isMet: boolean | null
}

/** Processor time of a process so far, in microseconds. */
export interface ProcessorTime {
  readonly mainThread: number
  /** The thread that serves the store, by its name; 0 where there is none. */
  readonly storeThread: number
  readonly all: number
}

/** Reads it. */
export function processorTimeOf(pid: number): ProcessorTime {
  const times = { mainThread: 0, storeThread: 0, all: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const us = Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1000
    times.all += us
    if (Number(thread) === pid) times.mainThread += us
    if (read(`/proc/${pid}/task/${thread}/comm`).startsWith('fanlight-')) times.storeThread += us
  }
  return times
}

/** Resident memory of a process, in MB. */
export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
}

/** Processor time of all servers so far, in microseconds. */
export function serverTime({ nodes }: RedisServers): number {
  return nodes.reduce((sum, { pid }) => sum + processorTimeOf(pid).all, 0)
}

/** The load of the machine in the last minute, for a reader who wonders. */
export function machineLoad(): string {
  return read('/proc/loadavg').split(' ')[0] ?? ''
}

/** A figure of `INFO`, summed over these servers. */
export async function infoOf(nodes: RedisServers['nodes'], section: string, name: string): Promise<number> {
  const texts = await Promise.all(nodes.map((node) => node.command('INFO', section)))
  return texts.reduce((sum, text) => sum + Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1] ?? 0), 0)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
