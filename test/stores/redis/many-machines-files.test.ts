// Runs what examples/many-machines/ would run in containers, on loopback addresses of this machine: the nodes with their
// configuration and users, the script that joins them, and the one with which restarted nodes find each other again.

import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { findProgram } from '../../../scripts/test-tools.mjs'
import { openRedisEngine } from '../../../src/redis/open-redis-engine.ts'
import { at, composeFile, deploymentFile, kubernetesObjects, listAt } from '../../support/deployment-files.ts'
import { freePort } from '../../support/free-port.ts'
import { makeLockState } from '../../contract/lock-store.ts'
import { makeProfile } from '../../support/profiles.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'

const run = promisify(execFile)
const cli = findProgram('redis-cli') ?? 'redis-cli'
const password = 'change-me-admin'
const numbers = [0, 1, 2, 3, 4, 5]

/** Where the nodes are: their folder, their port, and the network in place of the containers'. */
interface Place {
  readonly folder: string
  readonly port: number
  /** `127.77.0` */
  readonly network: string
}

const addressOf = (node: number, { network }: Place): string => `${network}.1${node}`

/** What a script of a container is here: other addresses, port and files. */
function here(script: string, place: Place, node?: number): string {
  const own = node === undefined ? '' : ` -h ${addressOf(node, place)}`
  return script
    .replaceAll('$$', '$')
    .replaceAll('10.77.0.', `${place.network}.`)
    .replaceAll('redis-$node.redis', `${place.network}.1$node`)
    .replaceAll('redis-0.redis', addressOf(0, place))
    .replaceAll(/\b6379\b/g, String(place.port))
    .replaceAll(/redis-cli (?=-h|cluster|info)/g, `redis-cli -p ${place.port}${own} `)
    .replaceAll('/data/', `${place.folder}/${node}/`)
    .replaceAll('/etc/redis/redis.conf', `${place.folder}/${node}/redis.conf`)
    .replaceAll('sleep 5', 'sleep 1')
}

const shell = async (script: string): Promise<string> =>
  (await run('sh', ['-c', script], { env: { ...process.env, REDISCLI_AUTH: password } })).stdout

const command = async (place: Place, node: number, ...args: readonly string[]): Promise<string> => {
  const where = ['-h', addressOf(node, place), '-p', String(place.port), '--no-auth-warning', '-a', password]
  return (await run(cli, [...where, ...args])).stdout.trim()
}

const container = (kind: string, name: string): unknown => {
  const object = kubernetesObjects().find((one) => at(one, 'kind') === kind && at(one, 'metadata', 'name') === name)
  return at(object, 'spec', 'template', 'spec', 'containers', 0)
}

const scriptOf = (kind: string, name: string): string => String(listAt(container(kind, name), 'command')[2])

/** Starts a node as the StatefulSet does. */
function startNode(node: number, place: Place): ChildProcess {
  const folder = join(place.folder, String(node))
  mkdirSync(folder, { recursive: true })
  const lines = deploymentFile('redis.conf')
    .replace(/^port .*$/m, `port ${place.port}`)
    .replace(/^dir .*$/m, `dir ${folder}`)
    .replace('/etc/redis/', `${place.folder}/`)
    .replace(/^cluster-node-timeout .*$/m, 'cluster-node-timeout 1000')
  writeFileSync(join(folder, 'redis.conf'), `${lines}\nbind ${addressOf(node, place)}\n`)
  const env = { ...process.env, REDISCLI_AUTH: password, POD_IP: addressOf(node, place) }
  // A group, because what meets the others goes on beside the server.
  return spawn('sh', ['-c', here(scriptOf('StatefulSet', 'redis'), place, node)], {
    env,
    detached: true,
    stdio: 'ignore',
  })
}

/** A node that is just writing its first file of appended commands does not obey: it is told again. */
async function stopNode(child: ChildProcess): Promise<void> {
  await until(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? assert.fail()), 'SIGTERM')
    return child.exitCode !== null || child.signalCode !== null
  })
}

const isWhole = async (place: Place): Promise<boolean> => {
  const states = await Promise.all(numbers.map((node) => command(place, node, 'cluster', 'info').catch(() => '')))
  return states.every((state) => state.includes('cluster_state:ok') && state.includes('cluster_slots_ok:16384'))
}

/** Asks as the probe of the StatefulSet does. */
async function isReady(node: number, place: Place): Promise<boolean> {
  const probe = at(container('StatefulSet', 'redis'), 'readinessProbe', 'exec')
  const script = String(listAt(probe, 'command')[2])
  return shell(here(script, place, node)).then(
    () => true,
    () => false,
  )
}

const storeAddress = (place: Place): string =>
  here(String(at(composeFile(), 'services', 'app', 'environment', 'APP_STORE')), place)

/** Does with the store what an application does, as the user of its address. Gives the token of a profile. */
async function useStore(place: Place): Promise<string> {
  const engine = await openRedisEngine({ address: storeAddress(place) })
  try {
    const { profiles, lock } = engine
    const ending = profiles.newTokenEnding?.() ?? assert.fail()
    const kept = makeProfile({ token: `token0kept00${ending}`, url: 'http://h/kept' })
    await profiles.write([kept, ...Array.from({ length: 36 }, () => makeProfile())])
    await until(async () => (await profiles.find({})).items.length > 0)
    assert.equal((await profiles.group({}, 'route')).count, 37)
    assert.equal((await profiles.find({ url: '/kept' })).items.length, 1)
    assert.equal((await profiles.stats()).count, 37)
    await profiles.purge(0)
    await lock.write(makeLockState({ value: 1 }))
    assert.equal((await lock.read())?.value, 1)
    const records = engine.collection('records')
    assert.equal(await records.write({ key: 1 }), true)
    assert.equal(await records.read('key'), 1)
    return kept.token
  } finally {
    await engine.close()
  }
}

/** Only Linux has a whole network of loopback addresses. */
const isElsewhere = process.platform !== 'linux'

describe('examples/many-machines on real servers', { skip: isElsewhere }, () => {
  it('the nodes are joined once, serve the application as its user, and find each other again at new addresses', async (test) => {
    const folder = makeTemporaryDirectory(test)
    writeFileSync(join(folder, 'users.acl'), deploymentFile('users.acl'))
    // Low enough for the port of the bus, which is 10,000 higher.
    const place = { folder, port: (await freePort()) - 40_000, network: '127.77.0' }
    let nodes = numbers.map((node) => startNode(node, place))
    test.after(async () => Promise.all(nodes.map(stopNode)))
    const join_ = here(String(listAt(composeFile(), 'services', 'join', 'command')[2]), place)
    assert.match(await shell(join_), /All 16384 slots covered/)
    await until(() => isWhole(place))
    // The Job says the same in its words; a cluster that is there stays as it is.
    for (const script of [join_, here(scriptOf('Job', 'redis-join'), place)]) assert.equal(await shell(script), '')
    const roles = await Promise.all(numbers.map((node) => command(place, node, 'info', 'replication')))
    assert.equal(roles.filter((said) => said.includes('role:master')).length, 3)
    for (const node of numbers) await until(() => isReady(node, place))

    // What the user of users.acl may not do would be logged by the server that refused it.
    const token = await useStore(place)
    for (const node of numbers) assert.equal(await command(place, node, 'acl', 'log'), '')

    await Promise.all(nodes.map(stopNode))
    const moved = { ...place, network: '127.77.1' }
    nodes = numbers.map((node) => startNode(node, moved))
    await until(() => isWhole(moved))
    const engine = await openRedisEngine({ address: storeAddress(moved) })
    test.after(() => engine.close())
    assert.equal((await engine.profiles.read(token))?.url, 'http://h/kept')
  })
})
