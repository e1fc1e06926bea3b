// Machines to try the commands on: a version of Node with its npm, a user, an empty home, and no compiler and no Python on PATH.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { packageName } from '../install-node.mjs'

/** Node versions that a machine may have, each with the major version of npm that it ships. */
export const machineNodes = { 20: 10, 22: 10, 24: 11, 26: 11 } as const

export type MachineNode = keyof typeof machineNodes

/** Whom commands run as. */
export interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

export interface Machine {
  readonly node: MachineNode
  readonly user: User
  /** Holds its Node and npm, and everything that is tried on it; every user can enter it. */
  readonly directory: string
  readonly path: string
}

/** What is never on PATH, but for the machine's own Node and npm. */
const absent =
  /^(?:node|npm|npx|corepack|apt.*|make|gmake|cmake|python.*|pypy.*|(?:.*-)?(?:cc|gcc|g\+\+|c\+\+|cpp|clang.*|ld|as)(?:-[\d.]+)?)$/

/** Makes the folder of all machines, and in it one for each version of Node. */
export function makeMachines(nodes: readonly MachineNode[], users: readonly User[]): readonly Machine[] {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-fresh-machine-'))
  chmodSync(directory, 0o755)
  return nodes.flatMap((node) => {
    const own = join(directory, `node-${node}`)
    const path = join(own, 'bin')
    mkdirSync(path, { recursive: true })
    installNode(node, own)
    linkPrograms(path)
    return users.map((user) => ({ node, user, directory, path }))
  })
}

/** Downloads are kept in var/, the machines are not. */
function installNode(node: MachineNode, own: string): void {
  const npmVersion = machineNodes[node]
  const kept = resolve('var/fresh-machine', `node-${node}`)
  const nodePackage = packageName()
  if (!existsSync(join(kept, 'node_modules/.package-lock.json'))) {
    const wanted = [`${nodePackage}@${node}`, `npm@${npmVersion}`]
    mkdirSync(kept, { recursive: true })
    const { status, stderr } = spawnSync(
      'npm',
      ['install', '--prefix', kept, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted],
      { encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(`${wanted.join(' and ')} cannot be installed:\n${stderr}`)
  }
  copyFileSync(join(kept, 'node_modules', nodePackage, 'bin/node'), join(own, 'bin/node'))
  cpSync(join(kept, 'node_modules/npm'), join(own, 'lib/npm'), { recursive: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/npm/bin/${name}-cli.js`, join(own, 'bin', name))
}

function linkPrograms(path: string): void {
  for (const folder of ['/usr/bin', '/bin', '/usr/sbin', '/sbin']) {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      if (!absent.test(name) && !existsSync(join(path, name))) symlinkSync(join(folder, name), join(path, name))
    }
  }
}

/** The registry and what it takes to reach it are those of this machine; no other setting of npm is. */
function environment(machine: Machine, home: string, more: Readonly<Record<string, string>>): Record<string, string> {
  const passed = [
    'NODE_EXTRA_CA_CERTS',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
  ]
  const env: Record<string, string> = { PATH: machine.path, HOME: home, ...npmSettings() }
  for (const name of passed) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return { ...env, ...more }
}

function npmSettings(): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const name of ['registry', 'cafile']) {
    const value = spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim()
    if (value !== '' && value !== 'null') settings[`npm_config_${name}`] = value
  }
  return settings
}

/** Starts a command on a machine, in a process group of its own. */
export function runOn(
  machine: Machine,
  command: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly home: string; readonly env?: Readonly<Record<string, string>> },
): ChildProcess {
  const { uid, gid } = machine.user
  const [program, ...args] = command
  return spawn(join(machine.path, program), args, {
    cwd: options.cwd,
    env: environment(machine, options.home, options.env ?? {}),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === process.getuid?.() ? {} : { uid, gid }),
  })
}

const testUser = 'fanlight-fresh'

/** Root and a user made for it, if root runs this; otherwise the current user. */
export function openUsers(): { readonly users: readonly User[]; readonly close: () => void } {
  const uid = process.getuid?.() ?? 0
  const gid = process.getgid?.() ?? 0
  if (uid !== 0) return { users: [{ name: 'ordinary user', uid, gid }], close: () => undefined }
  if (idOf('-u') === null) spawnSync('useradd', ['--system', '--no-create-home', testUser])
  const [testUid, testGid] = [idOf('-u'), idOf('-g')]
  if (testUid === null || testGid === null) throw new Error(`The user ${testUser} cannot be created.`)
  return {
    users: [
      { name: 'ordinary user', uid: testUid, gid: testGid },
      { name: 'root', uid, gid },
    ],
    close: () => void spawnSync('userdel', [testUser]),
  }
}

function idOf(which: '-u' | '-g'): number | null {
  const { status, stdout } = spawnSync('id', [which, testUser], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : null
}
