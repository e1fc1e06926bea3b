// Throwaway database servers of a test's own: programs of the system with their data in a temporary folder, reached through a
// unix socket, gone when the test is over.

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram, testTools } from '../../scripts/test-tools.mjs'
import { until } from './until.ts'
import { removeDirectory } from './temporary-directory.ts'

/** A running server. */
export interface DatabaseServer {
  /** Its unix socket; of PostgreSQL the folder of it, as `pg` wants it for its `host`. */
  readonly socket: string
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/** PostgreSQL with the database `postgres` and the superuser `test`, who needs no password; on a port of this machine, too, if one is named. */
export async function startPostgres(port?: number): Promise<DatabaseServer> {
  const folder = makeFolder()
  // PostgreSQL refuses to run as root; its package brings its own user.
  const user = process.getuid?.() === 0 ? await userOf('postgres') : undefined
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const settings = { ...user, cwd: folder }
  const setup = ['-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']
  await promisify(execFile)(programOf('initdb', 'postgres'), setup, settings)
  const address = port === undefined ? ['listen_addresses='] : ['listen_addresses=127.0.0.1', `port=${port}`]
  const options = ['fsync=off', ...address, `unix_socket_directories=${folder}`, 'max_connections=20']
  const args = ['-D', data, ...options.flatMap((option) => ['-c', option])]
  const child = spawn(programOf('postgres'), args, settings)
  return started(child, folder, folder)
}

/** MariaDB with the database `test` and the user `root`, who needs no password. */
export async function startMariadb(): Promise<DatabaseServer> {
  const folder = makeFolder()
  const socket = join(folder, 'mariadb.sock')
  const own = ['--no-defaults', `--datadir=${join(folder, 'data')}`]
  // With the common temporary folder two servers that start at once remove each other's temporary tables.
  const settings = { cwd: folder, env: { ...process.env, TMPDIR: folder } }
  const setup = [...own, '--auth-root-authentication-method=normal']
  await promisify(execFile)(programOf('mariadb-install-db', 'mariadbd'), setup, settings)
  const options = [`--socket=${socket}`, '--skip-networking', '--innodb-flush-log-at-trx-commit=0']
  if (process.getuid?.() === 0) options.push('--user=root')
  const child = spawn(programOf('mariadbd'), [...own, ...options], settings)
  return started(child, folder, socket)
}

/** Redis that keeps nothing. */
export async function startRedis(): Promise<DatabaseServer> {
  const folder = makeFolder()
  const socket = join(folder, 'redis.sock')
  const options = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no']
  const child = spawn(programOf('redis-server'), options, { cwd: folder })
  return started(child, folder, socket)
}

async function started(child: ChildProcess, folder: string, socket: string): Promise<DatabaseServer> {
  const exit = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-8000)))
  }
  // What ends the test process ends the server, too.
  const kill = (): void => {
    child.kill('SIGQUIT')
  }
  process.on('exit', kill)
  const stop = async (): Promise<void> => {
    // PostgreSQL waits for its clients to leave; one that a failed test left behind is not waited for.
    child.kill('SIGTERM')
    const hurry = setTimeout(kill, 3000)
    await exit
    clearTimeout(hurry)
    process.off('exit', kill)
    await removeDirectory(folder)
  }
  try {
    await until(() => {
      if (child.exitCode !== null) throw new Error(`the server ended: ${said}`)
      return /ready (?:to accept|for) connections/i.test(said)
    })
  } catch (thrown) {
    await stop()
    throw thrown
  }
  return { socket, stop }
}

/** Short: the path of a unix socket has no more than 107 characters. */
function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'fanlight-db-'))
}

function programOf(name: string, tool = name): string {
  const program = findProgram(name)
  if (program !== null) return program
  const packages = testTools.find(({ binary }) => binary === tool)?.packages ?? []
  throw new Error(`There is no ${name} on this machine; Debian has it in: ${packages.join(' ')}`)
}

async function userOf(name: string): Promise<{ uid: number; gid: number }> {
  const idOf = async (option: string): Promise<number> =>
    Number((await promisify(execFile)('id', [option, name])).stdout.trim())
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}
