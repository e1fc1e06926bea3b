// Holds docs/guides/many-machines.md and the files of examples/many-machines/ to each other, to the settings, and to what Kubernetes
// and Compose demand of such files.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { hostOf, parseRedisAddress, type RedisAddress } from '../../src/redis/redis-address.ts'
import {
  at,
  composeFile,
  deploymentFile,
  directivesOf,
  kubernetesObjects,
  listAt,
  mappingAt,
  withKey,
} from '../support/deployment-files.ts'
import { pick } from '../support/pick.ts'

const root = join(import.meta.dirname, '../..')
const compose = composeFile()
const objects = kubernetesObjects()
const directives = directivesOf(deploymentFile('redis.conf'))
const passwords = new Map(
  [...deploymentFile('users.acl').matchAll(/^user (\w+) on >(\S+)/gm)].map(([, user = '', password = '']) => [
    user,
    password,
  ]),
)

const named = (kind: string, name: string): unknown =>
  objects.find((one) => at(one, 'kind') === kind && at(one, 'metadata', 'name') === name) ??
  assert.fail(`there is no ${kind} ${name}`)

/** The settings as the application would read them; every one has to be known and usable. */
function settingsOf(env: Readonly<Record<string, string>>): RedisAddress {
  const { context, warnings } = loadRuntimeContext({ cwd: join(root, 'examples/many-machines'), env })
  assert.deepEqual(warnings, [])
  return parseRedisAddress(context.store, root)
}

function assertScript(script: unknown): void {
  assert.equal(typeof script, 'string')
  const { status, stderr } = spawnSync('sh', ['-n'], { input: String(script), encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

describe('examples/many-machines/compose.yaml', () => {
  const services = mappingAt(compose, 'services')
  const nodes = Object.entries(services).filter(([name]) => name.startsWith('redis-'))
  const addressOf = (service: unknown): unknown => at(service, 'networks', 'store', 'ipv4_address')

  it('has six nodes, each with an address in the network and with files that are there', () => {
    assert.equal(nodes.length, 6)
    const addresses = nodes.map(([, node]) => String(addressOf(node)))
    assert.equal(new Set(addresses).size, 6)
    assert.deepEqual(listAt(compose, 'networks', 'store', 'ipam', 'config'), [{ subnet: '10.77.0.0/24' }])
    for (const address of addresses) assert.match(address, /^10\.77\.0\.\d+$/)
    for (const [, node] of nodes) {
      assert.equal(at(node, 'image'), 'redis:7')
      assert.ok(String(at(node, 'command')).endsWith('/etc/redis/redis.conf'))
      for (const volume of listAt(node, 'volumes')
        .map(String)
        .filter((one) => one.startsWith('./'))) {
        assert.ok(existsSync(join(root, 'examples/many-machines', volume.split(':')[0] ?? '')), volume)
      }
    }
  })

  it('makes a cluster of exactly these, as the user that may do it', () => {
    const join_ = services['join']
    const script = String(listAt(join_, 'command')[2])
    assertScript(script.replaceAll('$$', '$'))
    const [, last = ''] = /for node in ([\d ]+);/.exec(script) ?? []
    assert.deepEqual(
      last.split(' ').map((end) => `10.77.0.${end}`),
      nodes.map(([, node]) => addressOf(node)),
    )
    assert.equal(at(join_, 'environment', 'REDISCLI_AUTH'), passwords.get('default'))
    assert.deepEqual(
      listAt(join_, 'depends_on'),
      nodes.map(([name]) => name),
    )
  })

  it('starts an application with settings that it can use', () => {
    const environment = Object.entries(mappingAt(services, 'app', 'environment'))
    const address = settingsOf(Object.fromEntries(environment.map(([name, value]) => [name, String(value)])))
    const known = new Set(nodes.map(([, node]) => addressOf(node)))
    for (const { host, port } of address.hosts) assert.ok(known.has(host) && port === 6379, host)
    assert.deepEqual([address.user, address.password], ['fanlight', passwords.get('fanlight')])
  })
})

describe('examples/many-machines/kubernetes.yaml', () => {
  const set = named('StatefulSet', 'redis')
  const secret = mappingAt(named('Secret', 'store'), 'stringData')
  const pods = objects.filter((one) => at(one, 'spec', 'template') !== undefined)

  it('has objects of interfaces that are stable, each once', () => {
    const found = objects.map((one) => [at(one, 'apiVersion'), at(one, 'kind'), at(one, 'metadata', 'name')].join(' '))
    assert.deepEqual(found, [
      'v1 Secret store',
      'v1 Service redis',
      'apps/v1 StatefulSet redis',
      'policy/v1 PodDisruptionBudget redis',
      'batch/v1 Job redis-join',
      'apps/v1 Deployment shop',
      'v1 Service shop',
    ])
  })

  it('selects the pods that it makes', () => {
    for (const [kind, name] of [
      ['StatefulSet', 'redis'],
      ['Deployment', 'shop'],
    ] as const) {
      const labels = mappingAt(named(kind, name), 'spec', 'template', 'metadata', 'labels')
      assert.deepEqual(at(named(kind, name), 'spec', 'selector', 'matchLabels'), labels)
      assert.deepEqual(at(named('Service', name), 'spec', 'selector'), labels)
    }
    const redis = mappingAt(set, 'spec', 'selector', 'matchLabels')
    for (const one of [named('PodDisruptionBudget', 'redis'), at(set, 'spec', 'template', 'spec', 'affinity')])
      assert.deepEqual(pick(withKey(one, 'matchLabels'), 'matchLabels'), [redis])
    assert.equal(at(set, 'spec', 'serviceName'), at(named('Service', 'redis'), 'metadata', 'name'))
    // Nodes are ready when they are in a cluster, and find each other by name before.
    assert.equal(at(named('Service', 'redis'), 'spec', 'publishNotReadyAddresses'), true)
  })

  it('refers only to keys, volumes and ports that are there', () => {
    for (const { secretKeyRef } of pods.flatMap((one) => withKey(one, 'secretKeyRef'))) {
      assert.equal(at(secretKeyRef, 'name'), 'store')
      assert.ok(String(at(secretKeyRef, 'key')) in secret)
    }
    const template = at(set, 'spec', 'template', 'spec')
    const volumes = [
      ...listAt(template, 'volumes').map((volume) => at(volume, 'name')),
      ...listAt(set, 'spec', 'volumeClaimTemplates').map((claim) => at(claim, 'metadata', 'name')),
    ]
    const mounts = listAt(template, 'containers', 0, 'volumeMounts').map((mount) => at(mount, 'name'))
    assert.deepEqual(new Set(mounts), new Set(volumes))
    for (const item of withKey(template, 'path').filter((one) => 'key' in one)) assert.ok(String(item['key']) in secret)
    const ports = listAt(named('Deployment', 'shop'), 'spec', 'template', 'spec', 'containers', 0, 'ports')
    assert.deepEqual(
      ports.map((port) => at(port, 'name')),
      [at(named('Service', 'shop'), 'spec', 'ports', 0, 'targetPort')],
    )
  })

  it('has the configuration and the users of the other files', () => {
    assert.equal(secret['redis.conf'], deploymentFile('redis.conf'))
    assert.equal(secret['users.acl'], deploymentFile('users.acl'))
    assert.equal(secret['admin-password'], passwords.get('default'))
    assert.equal(directives.get('masterauth'), passwords.get('default'))
  })

  it('has scripts that a shell can read', () => {
    for (const object of pods) {
      for (const { command } of withKey(object, 'command')) assertScript(listAt({ command }, 'command')[2])
    }
  })

  it('leaves a node twice the memory of its data', () => {
    const limit = /^(\d+)Mi$/.exec(
      String(at(set, 'spec', 'template', 'spec', 'containers', 0, 'resources', 'limits', 'memory')),
    )
    const most = /^(\d+)mb$/.exec(directives.get('maxmemory') ?? '')
    assert.ok(Number(limit?.[1]) >= 2 * Number(most?.[1]))
  })

  it('starts an application with settings that it can use, on nodes of the set', () => {
    const env = listAt(named('Deployment', 'shop'), 'spec', 'template', 'spec', 'containers', 0, 'env')
    const address = settingsOf(
      Object.fromEntries(
        env.map((one) => {
          const key = at(one, 'valueFrom', 'secretKeyRef', 'key')
          return [String(at(one, 'name')), String(key === undefined ? at(one, 'value') : secret[String(key)])]
        }),
      ),
    )
    const names = Array.from({ length: Number(at(set, 'spec', 'replicas')) }, (_, index) => `redis-${index}.redis`)
    for (const { host, port } of address.hosts) assert.ok(names.includes(host) && port === 6379, host)
    assert.deepEqual([address.user, address.password], ['fanlight', passwords.get('fanlight')])
    const script = String(listAt(named('Job', 'redis-join'), 'spec', 'template', 'spec', 'containers', 0, 'command')[2])
    assert.match(script, new RegExp(`for node in ${names.map((_, index) => index).join(' ')};`))
  })
})

describe('a store in Redis without the package ioredis', () => {
  it('is refused with one line that says what to install', () => {
    const hide = `import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) {
        if (name !== 'ioredis') return next(name, context)
        throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
      } })`
    const main = join(root, 'src/cli/main.ts')
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(hide)}`, main, 'lock', 'status'],
      { encoding: 'utf8', env: { APP_ENV: 'dev', APP_STORE: 'redis://fanlight:canary@127.0.0.1:1' } },
    )
    assert.deepEqual([status, stdout], [1, ''])
    assert.equal(stderr, 'fanlight: The store "redis://127.0.0.1:1" needs the package ioredis: npm i ioredis\n')
  })
})

describe('docs/guides/many-machines.md', () => {
  const page = readFileSync(join(root, 'docs/guides/many-machines.md'), 'utf8')

  it('shows the user of users.acl', () => {
    const [rule = ''] = /^user fanlight .*$/m.exec(deploymentFile('users.acl')) ?? []
    assert.notEqual(rule, '')
    assert.ok(page.includes(`\n${rule}\n`))
  })

  it('explains each setting of redis.conf that is not about files and ports, with its value', () => {
    const plain = new Set(['port', 'dir', 'aclfile', 'cluster-enabled', 'cluster-config-file'])
    for (const [name, value] of directives) {
      if (plain.has(name)) continue
      const wanted = name === 'masterauth' ? '`masterauth`' : `\`${name} ${value}\``
      assert.ok(page.includes(wanted), wanted)
    }
  })

  it('shows addresses that can be read', () => {
    const shown = [...page.matchAll(/(?<=[=`:\s])rediss?:\/\/[^\s`…)]+/g)].map(([address]) => address)
    assert.ok(shown.length > 1)
    for (const address of shown) assert.ok(parseRedisAddress(address, root).hosts.length > 0, address)
    assert.deepEqual(hostOf('a:7001'), { host: 'a', port: 7001 })
  })
})
