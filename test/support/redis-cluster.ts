// Redis of the tests: a cluster or a single server made of Debian's programs on free ports of this machine, with what a test
// does to it: it kills, stops, wakes and promotes nodes, and disturbs the links of clients.

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../../scripts/test-tools.mjs'
import { freePort } from './free-port.ts'
import { ownCertificate } from './own-certificate.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { removeDirectory } from './temporary-directory.ts'
import { until } from './until.ts'

export interface RedisOptions {
  /** TLS with a certificate of `localhost` and 127.0.0.1, and a user `app` who may do only what `acl` says. Default: plain, no password. */
  readonly isSecure?: boolean
  /** What the user `app` may do. */
  readonly acl?: string
  /** Clients and replicas reach every node through a proxy. Default: false. */
  readonly isProxied?: boolean
  /** Milliseconds after which a silent node counts as failed. Default: 1000. */
  readonly nodeTimeoutMs?: number
  /** Default: 3. */
  readonly primaries?: number
  /** Replicas of each primary. Default: 1. */
  readonly replicas?: number
  /** More lines of `redis.conf`, as in `maxmemory 100mb`. */
  readonly config?: readonly string[]
  /** More of the environment of a server, by its place among the nodes. */
  env?(index: number): Readonly<Record<string, string>>
}

/** What the documentation tells operators to allow. */
const leastAcl =
  /^user fanlight on >\S+ (.*)$/m.exec(
    readFileSync(join(import.meta.dirname, '../../examples/many-machines/users.acl'), 'utf8'),
  )?.[1] ?? ''

/** A secret that must show up nowhere: tests look for it. It holds what has to be encoded in an address. */
export const redisPassword = 'p:ss/w@rd%canary-7c1f'

/** A running Redis. */
export interface RedisServers {
  /** For `APP_STORE`. Names every node. */
  readonly address: string
  /** The primaries first, then their replicas in the same order. */
  readonly nodes: readonly RedisNode[]
  /** File of the certificate to trust; `undefined` without TLS. */
  readonly caFile: string | undefined
  /** The node that is primary for a key, as its neighbours see it now. */
  primaryOf(key: string): Promise<RedisNode>
  /** Removes every key. */
  empty(): Promise<void>
  /** Waits until every slot is served and every replica is in step with its primary. */
  untilWhole(): Promise<void>
  /** Ends all servers and removes their files. */
  stop(): Promise<void>
}

/** Starts a cluster: 3 primaries with a replica each, unless the options say otherwise. Ready in about 2.5 s. */
export async function startRedisCluster(options: RedisOptions = {}): Promise<RedisServers> {
  const { primaries = 3, replicas = 1 } = options
  return startServers(options, primaries, primaries * (1 + replicas), true)
}

/** Starts a single server without cluster mode. */
export async function startRedisServer(options: RedisOptions = {}): Promise<RedisServers> {
  return startServers(options, 1, 1, false)
}

/** Another process may have got a port between the asking and the listening. */
async function startServers(
  options: RedisOptions,
  primaries: number,
  count: number,
  isCluster: boolean,
): Promise<RedisServers> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options, primaries, count, isCluster)
    } catch (error) {
      if (attempt === 5 || !String(error).includes('Address already in use')) throw error
    }
  }
}

async function startOnce(
  options: RedisOptions,
  primaries: number,
  count: number,
  isCluster: boolean,
): Promise<RedisServers> {
  const folder = mkdtempSync(join(tmpdir(), 'fanlight-redis-'))
  const { isSecure = false } = options
  const caFile = join(folder, 'certificate.pem')
  writeFileSync(caFile, ownCertificate.cert)
  writeFileSync(join(folder, 'key.pem'), ownCertificate.key, { mode: 0o600 })
  const nodes: RedisNode[] = []
  for (let index = 0; index < count; index += 1) nodes.push(await makeNode(folder, index, options))
  for (const node of nodes) node.configure(isCluster ? { nodes, primaries } : null)
  const killAll = (): void => {
    for (const node of nodes) node.killNow()
  }
  process.on('exit', killAll)
  const servers: RedisServers = {
    address: addressOf(nodes, isSecure, caFile),
    nodes,
    caFile: isSecure ? caFile : undefined,
    primaryOf: async (key) => primaryOf(nodes, key, isCluster),
    empty: async () => {
      const all = await primariesOf(nodes, isCluster)
      await Promise.all(all.map((node) => node.command('FLUSHALL', 'SYNC')))
    },
    untilWhole: () => until(() => isWhole(nodes, count - primaries, isCluster)),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.end()))
      process.off('exit', killAll)
      await removeDirectory(folder)
    },
  }
  try {
    await Promise.all(nodes.map((node) => node.start()))
    await servers.untilWhole()
  } catch (thrown) {
    await servers.stop()
    throw thrown
  }
  return servers
}

function addressOf(nodes: readonly RedisNode[], isSecure: boolean, caFile: string): string {
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  if (!isSecure) return `redis://${hosts}`
  return `rediss://app:${encodeURIComponent(redisPassword)}@${hosts}?ca=${encodeURIComponent(caFile)}`
}

async function makeNode(root: string, index: number, options: RedisOptions): Promise<RedisNode> {
  const ownPort = await freePort()
  const busPort = await freePort()
  const folder = join(root, String(index))
  mkdirSync(folder)
  const proxy = options.isProxied === true ? await startTcpProxy(ownPort) : undefined
  return new RedisNode(folder, index, ownPort, busPort, proxy, options)
}

/** One server and its process. */
export class RedisNode {
  /** As clients reach it: the proxy's, where there is one. */
  readonly port: number
  /** The server's own. */
  readonly ownPort: number
  /** What disturbs its links; `undefined` unless the servers are proxied. */
  readonly proxy: TcpProxy | undefined
  /** Its name in the cluster. */
  readonly id: string
  readonly #index: number
  readonly #folder: string
  readonly #busPort: number
  readonly #options: RedisOptions
  #child: ChildProcess | undefined
  #isPaused = false
  #said = ''

  constructor(
    folder: string,
    index: number,
    ownPort: number,
    busPort: number,
    proxy: TcpProxy | undefined,
    options: RedisOptions,
  ) {
    this.port = proxy?.port ?? ownPort
    this.ownPort = ownPort
    this.proxy = proxy
    this.#index = index
    // Another one in each cluster: a node that finds its neighbour's port taken over by another cluster must not join that.
    this.id = randomBytes(20).toString('hex')
    this.#folder = folder
    this.#busPort = busPort
    this.#options = options
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the server does not run')
    return this.#child.pid
  }

  /** Writes its files. A cluster that is laid down in files needs no commands to form, and is ready sooner. */
  configure(cluster: { readonly nodes: readonly RedisNode[]; readonly primaries: number } | null): void {
    const { isSecure = false, nodeTimeoutMs = 1000, config = [], acl = leastAcl } = this.#options
    const lines = [
      'bind 127.0.0.1',
      `dir ${this.#folder}`,
      'save ""',
      'appendonly no',
      'repl-diskless-sync-delay 0',
      ...(isSecure
        ? ['port 0', `tls-port ${this.ownPort}`, 'tls-replication yes', 'tls-auth-clients no', ...this.#tlsFiles()]
        : [`port ${this.ownPort}`]),
      ...(isSecure ? ['masteruser admin', 'masterauth admin', `aclfile ${join(this.#folder, 'users.acl')}`] : []),
    ]
    if (cluster !== null) {
      lines.push(
        'cluster-enabled yes',
        `cluster-port ${this.#busPort}`,
        `cluster-node-timeout ${nodeTimeoutMs}`,
        'cluster-require-full-coverage no',
        'cluster-config-file nodes.conf',
        ...(isSecure ? ['tls-cluster yes'] : []),
        ...(this.proxy === undefined
          ? []
          : [
              `cluster-announce-${isSecure ? 'tls-port' : 'port'} ${this.port}`,
              `cluster-announce-bus-port ${this.#busPort}`,
            ]),
      )
      writeFileSync(join(this.#folder, 'nodes.conf'), this.#nodesFile(cluster.nodes, cluster.primaries))
    }
    if (isSecure) {
      const users = ['user default off', 'user admin on >admin ~* &* +@all', `user app on >${redisPassword} ${acl}`]
      writeFileSync(join(this.#folder, 'users.acl'), `${users.join('\n')}\n`, { mode: 0o600 })
    }
    writeFileSync(join(this.#folder, 'redis.conf'), `${[...lines, ...config].join('\n')}\n`)
  }

  /** Starts it, also again after it was killed. It has nothing then but what its primary gives it. */
  async start(): Promise<void> {
    const program = findProgram('redis-server')
    if (program === null) throw new Error('There is no redis-server on this machine; Debian has it in: redis-server')
    const env = { ...process.env, ...this.#options.env?.(this.#index) }
    const child = spawn(program, [join(this.#folder, 'redis.conf')], { cwd: this.#folder, env })
    this.#child = child
    this.#said = ''
    child.stdout.on('data', (chunk: Buffer) => (this.#said = `${this.#said}${chunk.toString()}`.slice(-8000)))
    await until(() => {
      if (child.exitCode !== null) throw new Error(`redis-server ended: ${this.#said}`)
      return this.#said.includes('eady to accept connections')
    })
  }

  /** Kills it as `kill -9` does. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  killNow(): void {
    this.#child?.kill('SIGKILL')
  }

  /** Stops it as a machine does that hangs: links stay open and nothing is answered. */
  pause(): void {
    this.#isPaused = true
    this.#child?.kill('SIGSTOP')
  }

  /** Wakes it up again. */
  resume(): void {
    this.#isPaused = false
    this.#child?.kill('SIGCONT')
  }

  /** Makes this replica the primary of its slots, without asking the others or its old primary. */
  async promote(): Promise<void> {
    await this.command('CLUSTER', 'FAILOVER', 'TAKEOVER')
    await until(async () => (await this.role()) === 'master')
  }

  async role(): Promise<'master' | 'slave'> {
    return (await this.command('ROLE')).startsWith('master') ? 'master' : 'slave'
  }

  /** Sends a command straight to the server as a user who may do everything. Rejects with what the server refuses. */
  async command(...args: string[]): Promise<string> {
    if (this.#isPaused) throw new Error('the server is paused')
    const { isSecure = false } = this.#options
    const secure = isSecure ? ['--tls', '--cacert', join(this.#folder, '../certificate.pem'), '--user', 'admin'] : []
    const env = { ...process.env, ...(isSecure ? { REDISCLI_AUTH: 'admin' } : {}) }
    const own = ['-e', '--no-auth-warning', '-h', '127.0.0.1', '-p', String(this.ownPort)]
    const { stdout } = await promisify(execFile)('redis-cli', [...own, ...secure, ...args], { env, timeout: 120_000 })
    return stdout.trimEnd()
  }

  /** Ends it and its proxy. */
  async end(): Promise<void> {
    await this.proxy?.close()
    await this.kill()
  }

  #tlsFiles(): string[] {
    const certificate = join(this.#folder, '../certificate.pem')
    chmodSync(join(this.#folder, '../key.pem'), 0o600)
    return [
      `tls-cert-file ${certificate}`,
      `tls-key-file ${join(this.#folder, '../key.pem')}`,
      `tls-ca-cert-file ${certificate}`,
    ]
  }

  #nodesFile(nodes: readonly RedisNode[], primaries: number): string {
    const slots = 16_384
    const lines = nodes.map((node, index) => {
      const flags = [...(node === this ? ['myself'] : []), index < primaries ? 'master' : 'slave'].join(',')
      const from = Math.floor((index * slots) / primaries)
      const to = Math.floor(((index + 1) * slots) / primaries) - 1
      const primary = nodes[index % primaries]
      const place = `127.0.0.1:${node.port}@${node.#busPort}`
      const epoch = (index % primaries) + 1
      return index < primaries
        ? `${node.id} ${place} ${flags} - 0 0 ${epoch} connected ${from}-${to}`
        : `${node.id} ${place} ${flags} ${primary?.id} 0 0 ${epoch} connected`
    })
    return `${lines.join('\n')}\nvars currentEpoch ${primaries} lastVoteEpoch 0\n`
  }
}

async function isWhole(nodes: readonly RedisNode[], replicas: number, isCluster: boolean): Promise<boolean> {
  if (!isCluster) return true
  let linked = 0
  for (const node of nodes) {
    const [state, replication] = await Promise.all([
      node.command('CLUSTER', 'INFO'),
      node.command('INFO', 'replication'),
    ])
    if (!state.includes('cluster_state:ok') || !state.includes('cluster_slots_ok:16384')) return false
    if (!state.includes(`cluster_known_nodes:${nodes.length}`)) return false
    if (replication.includes('master_link_status:up')) linked += 1
  }
  return linked === replicas
}

/** Nodes that answer and say that they are primaries. */
async function primariesOf(nodes: readonly RedisNode[], isCluster: boolean): Promise<readonly RedisNode[]> {
  if (!isCluster) return nodes
  const roles = await Promise.all(nodes.map((node) => node.role().catch(() => null)))
  return nodes.filter((_, index) => roles[index] === 'master')
}

async function primaryOf(nodes: readonly RedisNode[], key: string, isCluster: boolean): Promise<RedisNode> {
  if (isCluster) {
    for (const node of nodes) {
      try {
        const slot = Number(await node.command('CLUSTER', 'KEYSLOT', key))
        const id = ownerOf(slot, await node.command('CLUSTER', 'NODES'))
        const owner = nodes.find((one) => one.id === id)
        if (owner !== undefined) return owner
      } catch {
        // The next one may answer.
      }
    }
  }
  const [only] = nodes
  if (only === undefined || isCluster) throw new Error(`No node says who serves ${key}`)
  return only
}

function ownerOf(slot: number, table: string): string | undefined {
  const line = table.split('\n').find((one) => {
    const [, , flags = '', , , , , , ...ranges] = one.split(' ')
    return !flags.includes('fail') && ranges.some((range) => isWithin(slot, range))
  })
  return line?.split(' ')[0]
}

function isWithin(slot: number, range: string): boolean {
  const [from = '', to = from] = range.split('-')
  return slot >= Number(from) && slot <= Number(to)
}
