// The part of `ioredis` that is used: one connection to one node. The package is loaded for a store in Redis only; applications
// with another store do not have it.

import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { EngineError } from '../stores/engine-error.ts'
import type { RedisAddress, RedisHost } from './redis-address.ts'
import { defaultPatienceMs } from './redis-command.ts'

export interface RedisSocket {
  /** Rejects with no more than that the connection is closed; the `error` event says why. */
  connect(): Promise<void>
  disconnect(): void
  pipeline(commands: unknown[][]): { exec(): Promise<[error: Error | null, reply: unknown][] | null> }
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  readonly stream: { unref(): unknown } | undefined
}

/** Makes connections of an address; none is open yet. */
export type OpenSocket = (host: RedisHost) => RedisSocket

/** Loads the package. Rejects with an `EngineError` (`ERR_STORE_URL`) if it is missing or a file of certificates cannot be read. */
export async function loadSockets(address: RedisAddress): Promise<OpenSocket> {
  const { Redis } = await loadPackage(address)
  const { user, password, tls } = address
  const options = {
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password }),
    ...(tls === null ? {} : { tls: tls.caFile === null ? {} : { ca: readCertificates(address, tls.caFile) } }),
    connectionName: 'fanlight',
    lazyConnect: true,
    connectTimeout: 1000,
    commandTimeout: defaultPatienceMs,
    // A node that hangs does not say goodbye.
    disconnectTimeout: 100,
    // The next command connects again.
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // What has to be known of a server is asked for at open, once for all connections.
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
  } as const
  return ({ host, port }) => new Redis({ ...options, host, port })
}

async function loadPackage({ name }: RedisAddress): Promise<{ readonly Redis: typeof Redis }> {
  try {
    return await import('ioredis')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new EngineError('ERR_STORE_URL', `The store "${name}" needs the package ioredis: npm i ioredis`)
  }
}

function readCertificates({ name }: RedisAddress, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new EngineError(
      'ERR_STORE_URL',
      `The certificates "${file}" of the store "${name}" cannot be read (${code}).`,
    )
  }
}
