// What `fanlight store check` says of real servers: whole ones, and ones with one fault each.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { checkStore } from '../../../src/stores/check-store.ts'
import type { StoreFinding } from '../../../src/stores/store-finding.ts'
import { redisPassword, startRedisCluster, startRedisServer, type RedisServers } from '../../support/redis-cluster.ts'

/** Without ports and measured numbers. */
function textOf({ name, state, says, advice }: StoreFinding): string {
  const text = says
    .replaceAll(/127\.0\.0\.1:\d+/g, 'node')
    .replaceAll(/[\d.]+ (ms|s|MB)(?= of|,|;|$)/g, '# $1')
    .replace(/(?:read|write) ECONN/, 'ECONN')
  return `${state} ${name}: ${text}${advice === undefined ? '' : ` → ${advice}`}`
}

async function textsOf(address: string): Promise<readonly string[]> {
  return (await checkStore(address, {})).map(textOf)
}

/** Those that are not good. */
async function faultsOf(address: string): Promise<readonly string[]> {
  return (await textsOf(address)).filter((text) => !text.startsWith('good'))
}

describe('checkStore of a cluster', () => {
  let servers: RedisServers
  before(async () => (servers = await startRedisCluster()))
  after(() => servers.stop())

  it('finds nothing wrong with a whole one, makes no store, and says what the first start will make', async () => {
    const texts = await textsOf(servers.address)
    assert.deepEqual(
      texts.map((text) => text.replace(/Redis 7\.[\d.]+/, 'Redis 7').replace(/(?:\b[34](?:, )?){3}/, 'some')),
      [
        'good connection: a cluster of 3 primaries, node, node, node',
        'good version: Redis 7',
        'good policy: noeviction',
        'good role: every node takes writes',
        'good replicas: every primary has one or more',
        'good coverage: a node that is away stops no other',
        'good rights: every command that is needed is allowed',
        `good latency: ${Array(3).fill('node responds in # ms, with a replica in # ms').join('; ')}`,
        `good memory: ${Array(3).fill('node uses # MB, without a limit').join('; ')}`,
        'good clocks: the servers agree on the time',
        'good partitions: no store yet; the first start makes 10; of them some on the primaries',
      ],
    )
    const keys = await Promise.all(servers.nodes.slice(0, 3).map((node) => node.command('KEYS', '*')))
    assert.match(keys.join('\n'), /^(?:fanlight:\{check\d+\}:\d+(?::hash)?|\s)*$/)
  })

  it('names what removes profiles, too little memory, and the setting by which one node stops all', async () => {
    const node = servers.nodes[1]
    await node?.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    await node?.command('CONFIG', 'SET', 'maxmemory', '10mb')
    await node?.command('CONFIG', 'SET', 'cluster-require-full-coverage', 'yes')
    assert.deepEqual(await faultsOf(servers.address), [
      'bad policy: node has the maxmemory-policy allkeys-lru, which removes parts of profiles → set it to noeviction',
      'warning coverage: node has cluster-require-full-coverage yes: while one primary is away, the others refuse writes, too → set it to no',
      'warning memory: node uses # MB of # MB; its part of the profiles may take # MB → set maxmemory to 128.0 MB or more, or lower APP_PROFILES_MEGABYTES',
    ])
    await node?.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl')
    await node?.command('CONFIG', 'SET', 'maxmemory', '0')
    await node?.command('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')
    assert.deepEqual(await faultsOf(servers.address), [
      'warning policy: node has the maxmemory-policy volatile-ttl → set it to noeviction',
    ])
    await node?.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  })

  it('names a replica that is missing, and a primary that hangs', async () => {
    const [, primary, , , replica] = servers.nodes
    replica?.kill()
    await servers.nodes[1]?.command('WAIT', '1', '1')
    const faults = await faultsOf(servers.address)
    assert.deepEqual(faults, ['warning replicas: node has no replica → give it one, or what it holds goes with it'])
    primary?.pause()
    const [hung] = await faultsOf(servers.address)
    primary?.resume()
    assert.match(hung ?? '', /^bad node: node.* → start it, or promote its replica$/)
  })
})

describe('checkStore of a single server with TLS and a user', () => {
  let servers: RedisServers
  before(async () => (servers = await startRedisServer({ isSecure: true })))
  after(() => servers.stop())

  it('lets the user do everything with the rights of the manual', async () => {
    assert.deepEqual(await faultsOf(servers.address), [
      'warning replicas: node has no replica → give it one, or what it holds goes with it',
    ])
  })

  it('names every command of the manual that the user may not use', async () => {
    const acl = readFileSync('examples/many-machines/users.acl', 'utf8')
    const rights = [...(/^user fanlight .*$/m.exec(acl)?.[0].matchAll(/ \+(\S+)/g) ?? [])].map(([, name = '']) => name)
    // Without these nothing can be asked at all.
    const needed = ['cluster|slots', 'client|setname', 'info']
    const server = servers.nodes[0]
    await server?.command('ACL', 'SETUSER', 'app', '-@all', ...needed.map((name) => `+${name}`))
    const faults = await faultsOf(servers.address)
    await server?.command('ACL', 'SETUSER', 'app', ...rights.map((name) => `+${name}`))
    const [, names = ''] = /^bad rights: the user may not use (.*) on node → allow them/m.exec(faults.join('\n')) ?? []
    assert.deepEqual(names.split(', ').sort(), rights.filter((name) => !needed.includes(name)).sort())
    assert.equal((await faultsOf(servers.address)).length, 1)
  })

  it('says when the user may not use the keys', async () => {
    const server = servers.nodes[0]
    await server?.command('ACL', 'SETUSER', 'app', 'resetkeys', '~shop:*')
    const faults = await faultsOf(servers.address)
    await server?.command('ACL', 'SETUSER', 'app', 'resetkeys', '~fanlight:*')
    assert.match(
      faults.join('\n'),
      /^bad rights: the user may not use the keys fanlight:\* on node → allow them on every/m,
    )
  })

  for (const [what, change, text] of [
    ['a wrong password', ['canary', 'nope'], 'the user or the password in its address is wrong'],
    ['no TLS', ['rediss:', 'redis:'], 'node: ECONNRESET, as a port with TLS does: that would be rediss://'],
    [
      'no server',
      [/@127[^?]*/, '@127.0.0.1:1'],
      'node: connect ECONNREFUSED node → start the server, or correct the host and the port in the address',
    ],
  ] as const) {
    it(`says what is wrong with an address with ${what}, and no password`, async () => {
      const [part, other] = change
      const address = servers.address.replace(part, other)
      const faults = await faultsOf(what === 'no TLS' ? address.replace(/\?.*/, '') : address)
      assert.deepEqual(faults, [`bad connection: ${text}`])
      assert.doesNotMatch(faults.join(''), /canary/)
    })
  }

  it('refuses an address that cannot be read without its password', async () => {
    const address = `redis://app:${redisPassword}@127.0.0.1:1`
    await assert.rejects(checkStore(address, {}), ({ message }: Error) => !message.includes('canary'))
  })
})
