// Servers that do not take what we send: a wrong password, a user who may too little, a certificate for another name (F-R11), a
// policy that throws keys away, and a store of a newer version (F-R12). Whatever is said of it holds no password.

import { readdirSync, readFileSync } from 'node:fs'
import { openEngine } from '../../../src/app/open-engine.ts'
import {
  redisPassword,
  startRedisCluster,
  type RedisOptions,
  type RedisServers,
} from '../../../test/support/redis-cluster.ts'
import { runFile } from '../../../test/support/running-process.ts'
import { until } from '../../../test/support/until.ts'
import { ask, type FaultResult } from '../fault.ts'
import { describePages, measurePages } from './pages.ts'

/** F-R11: the address has another password. */
export function wrongPassword(): Promise<FaultResult> {
  return refusedApplication({
    title: 'the password is wrong',
    cause: /password|WRONGPASS/i,
    address: ({ address }) =>
      address.replace(encodeURIComponent(redisPassword), `${encodeURIComponent(redisPassword)}x`),
  })
}

/** F-R11: the user may not run scripts, which writes of profiles are. */
export function narrowRights(): Promise<FaultResult> {
  return refusedApplication({
    title: 'the user may not run scripts',
    cause: /evalsha|eval\b|NOPERM/i,
    acl: '~fanlight:* resetchannels -@all +@read +@write -@dangerous +wait +time +ping +info +hello +auth +client|setname +client|id +readonly +readwrite +cluster|slots +cluster|shards +cluster|info +cluster|keyslot +cluster|nodes +cluster|myid',
  })
}

/** F-R11: the certificate is for `localhost` and 127.0.0.1, and the address names 127.0.0.2. */
export function wrongName(): Promise<FaultResult> {
  return refusedApplication({
    title: 'the certificate is for another name',
    cause: /certificate|altname/i,
    config: ['bind 127.0.0.1 127.0.0.2'],
    address: ({ address }) => address.replaceAll('127.0.0.1:', '127.0.0.2:'),
  })
}

/** F-R12: servers that throw keys away when memory is short. */
export async function evictingPolicy(): Promise<FaultResult> {
  const servers = await startRedisCluster({ config: ['maxmemory-policy allkeys-lru'] })
  try {
    const failure = await failureOf(servers.address)
    return {
      fault: 'F-R12',
      title: 'the policy is `allkeys-lru`',
      criterion: 'refused at open, with the setting to change',
      observed: failure,
      isMet: failure.includes('allkeys-lru') && failure.includes('noeviction'),
    }
  } finally {
    await servers.stop()
  }
}

/** F-R12: the store says that a newer version made it. */
export async function newerFormat(): Promise<FaultResult> {
  const servers = await startRedisCluster({ config: ['enable-debug-command yes'] })
  try {
    const engine = await openEngine(servers.address)
    await until(async () => (await engine.profiles.stats()).missing === undefined)
    await engine.close()
    const primary = await servers.primaryOf('fanlight:{format}')
    await primary.command('HSET', 'fanlight:{format}', 'format', '99')
    const before = await keysOf(servers)
    const failure = await failureOf(servers.address)
    const application = await runFile('app/main.ts', { APP_STORE: servers.address }).then(
      async (running) => {
        const { status } = await ask(`${running.url}/`)
        await running.end()
        return `starts (${status})`
      },
      (error: unknown) => `does not start: ${firstLineWith(String(error), /newer/i)}`,
    )
    const isUntouched = (await keysOf(servers)) === before
    return {
      fault: 'F-R12',
      title: 'the store was made by a newer version',
      criterion: 'refused, and nothing in it is changed',
      observed: `${failure}; the application ${application}; keys ${isUntouched ? 'untouched' : 'CHANGED'}`,
      isMet: failure.startsWith('ERR_STORE_VERSION') && isUntouched,
    }
  } finally {
    await servers.stop()
  }
}

interface Refusal extends RedisOptions {
  readonly title: string
  /** What has to be named. */
  readonly cause: RegExp
  /** Default: the right one. */
  address?(servers: RedisServers): string
}

async function refusedApplication({ title, cause, address, ...options }: Refusal): Promise<FaultResult> {
  const servers = await startRedisCluster({ ...options, isSecure: true })
  try {
    const store = address?.(servers) ?? servers.address
    await using running = await runFile('app/main.ts', { APP_STORE: store })
    const { token = '' } = await ask(`${running.url}/nope`)
    const figures = await measurePages(running, 5)
    const pages = await Promise.all(
      ['/_profiler/status', '/_profiler/', `/_profiler/${token}`, '/currencies', '/nope'].map(async (path) => {
        const answer = await ask(`${running.url}${path}`)
        return answer.body
      }),
    )
    const isOnPage = cause.test(pages[0] ?? '')
    // What a page says of the currencies that it did without has its own limit.
    const lines = running.output
      .split('\n')
      .filter((line) => cause.test(line) && !line.includes('"channel":"currency"'))
    const shown = [...pages, running.output, commandLines()].filter(holdsPassword).length
    return {
      fault: 'F-R11',
      title,
      criterion: 'the application answers; log and status page name the cause, in few lines; the password is nowhere',
      observed: `${describePages(figures)}; ${lines.length} log lines name it${lines[0] === undefined ? '' : `: ${messageOf(lines[0])}`}; status page ${isOnPage ? 'names' : 'does NOT name'} it; password in ${shown} places`,
      isMet: figures.failed === 0 && lines.length > 0 && lines.length <= 5 && isOnPage && shown === 0,
    }
  } catch (error) {
    const observed = `the application did not start: ${firstLineWith(String(error), cause)}`
    return { fault: 'F-R11', title, criterion: 'the application answers', observed, isMet: false }
  } finally {
    await servers.stop()
  }
}

/** The code and message with which a store is refused. */
async function failureOf(address: string): Promise<string> {
  try {
    const engine = await openEngine(address)
    // An engine that goes on trying says why.
    const { fleet } = await engine.profiles.stats()
    await engine.close()
    return `opened; outage: ${fleet?.outage?.reason ?? 'none'}`
  } catch (error) {
    const { code = 'no code', message } = error as Error & { code?: string }
    return `${code}: ${message}`
  }
}

/** All keys of all servers with a digest of their values. */
async function keysOf({ nodes }: RedisServers): Promise<string> {
  const digests = await Promise.all(nodes.map((node) => node.command('DEBUG', 'DIGEST')))
  return digests.join(' ')
}

function holdsPassword(text: string): boolean {
  return (
    text.includes(redisPassword) || text.includes(encodeURIComponent(redisPassword)) || text.includes('canary-7c1f')
  )
}

/** Arguments of every process, as `ps` shows them to all. */
function commandLines(): string {
  const read = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(read)
    .join('\n')
}

function firstLineWith(text: string, pattern: RegExp): string {
  return (text.split('\n').find((line) => pattern.test(line)) ?? text.split('\n')[0] ?? '').slice(0, 300)
}

/** What a log line says; it may be JSON. */
function messageOf(line: string): string {
  return (/"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line).slice(0, 300)
}
