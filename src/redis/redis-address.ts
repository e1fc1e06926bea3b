// Reads the address of a store in Redis: `redis://a:7001,b:7001`, `rediss://user:password@host:port?ca=file`. No message
// repeats a part of it: what looks like a host may be a half of a password.

import { isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { EngineError } from '../stores/engine-error.ts'

/** A node as clients reach it. */
export interface RedisHost {
  readonly host: string
  readonly port: number
}

/** What an address says. Plain data: threads hand it on. */
export interface RedisAddress {
  /** For people and messages: scheme and hosts, without user and password. */
  readonly name: string
  /** The nodes to ask first, one at least. */
  readonly hosts: readonly RedisHost[]
  /** `null`: the default user. */
  readonly user: string | null
  readonly password: string | null
  readonly tls: {
    /** Absolute path of the certificates to trust; `null`: those that Node trusts. */
    readonly caFile: string | null
  } | null
}

const form = 'redis://host:port,host:port or rediss://user:password@host:port'

export function isRedisAddress(address: string): boolean {
  return /^rediss?:/.test(address)
}

/** Reads an address; relative files start from `directory`. Throws `EngineError` (`ERR_STORE_URL`). */
export function parseRedisAddress(address: string, directory: string): RedisAddress {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^(rediss?):\/\/([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(address) ?? refuse(`it is not of the form ${form}`)
  if (path.includes('@') || query.includes('@')) {
    refuse('a user or password holds a character that must be percent-encoded: / is %2F, ? is %3F, # is %23, @ is %40')
  }
  if (path !== '' && path !== '/' && path !== '/0') refuse('it names a database, and a cluster has only the one')
  const isSecure = scheme === 'rediss'
  const at = authority.lastIndexOf('@')
  const hosts = authority.slice(at + 1).split(',')
  const read = hosts.map((text, index) => readHost(text, `host ${index + 1} of ${hosts.length}`))
  return {
    name: `${scheme}://${read.map(nameOf).join(',')}`,
    hosts: read,
    ...readUser(at < 0 ? '' : authority.slice(0, at)),
    tls: isSecure
      ? { caFile: readCaFile(query, directory) }
      : query === ''
        ? null
        : refuse('only rediss:// has parameters'),
  }
}

/** The name of the store of an address; of one that cannot be used only the scheme. */
export function nameOfAddress(address: string): string {
  try {
    return parseRedisAddress(address, '').name
  } catch {
    return `${address.slice(0, address.indexOf(':'))}://******`
  }
}

/** `127.0.0.1:7001`, `[::1]:7001`. */
export function nameOf({ host, port }: RedisHost): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

export function hostOf(name: string): RedisHost {
  const colon = name.lastIndexOf(':')
  return { host: name.slice(0, colon).replace(/^\[(.*)\]$/, '$1'), port: Number(name.slice(colon + 1)) }
}

function readHost(text: string, which: string): RedisHost {
  const [, address, name, port = '6379'] = /^(?:\[([^\]]*)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = address ?? name
  if (host === undefined || (address !== undefined && !isIPv6(address))) {
    refuse(
      `${which} cannot be read; a host is a name, an IPv4 address or an IPv6 address in brackets, with a port after a colon`,
    )
  }
  if (Number(port) < 1 || Number(port) > 65_535) refuse(`the port of ${which} is not within 1 to 65535`)
  return { host, port: Number(port) }
}

function readUser(text: string): Pick<RedisAddress, 'user' | 'password'> {
  if (text === '') return { user: null, password: null }
  const colon = text.indexOf(':')
  if (colon < 0 || colon === text.length - 1)
    refuse('it has a user without a password; both are written as user:password@')
  const user = decoded(text.slice(0, colon))
  return { user: user === '' ? null : user, password: decoded(text.slice(colon + 1)) }
}

function readCaFile(query: string, directory: string): string | null {
  if (query === '') return null
  const [, file = ''] = /^ca=([^&]+)$/.exec(query) ?? refuse('it has a parameter other than ca=<file of certificates>')
  return resolve(directory, decoded(file))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    refuse('its user or password has a % that does not begin a percent-encoded character: % itself is %25')
  }
}

function refuse(problem: string): never {
  throw new EngineError('ERR_STORE_URL', `The address of the store in Redis cannot be used: ${problem}.`)
}
