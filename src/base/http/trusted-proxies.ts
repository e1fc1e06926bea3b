// Finds the client behind proxies: only trusted peers may forward its address, and only along a chain of trusted addresses.

import { BlockList, isIP } from 'node:net'
import { listedFields } from './header-fields.ts'

/** What trusted proxies said about a request; `null` for what they did not say, or not validly. */
export interface Forwarded {
  /** Address of the client, canonical; empty where none was named, or none that can be read. */
  readonly clientAddress: string
  readonly scheme: 'http' | 'https' | null
  /** Host as forwarded, perhaps with a port; not checked. */
  readonly host: string | null
  readonly port: number | null
}

/** Longest chain that is followed. */
const maxHops = 50

/** The peers whose `X-Forwarded-…` headers are trusted. */
export class TrustedProxies {
  readonly #networks = new BlockList()
  /** Whether no peer is trusted. */
  readonly isEmpty: boolean

  /** Takes addresses and networks, `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. Throws a TypeError that names the wrong entry. */
  constructor(networks: readonly string[] = []) {
    for (const network of networks) this.#add(network)
    this.isEmpty = networks.length === 0
  }

  /** Whether an address is a trusted proxy. An IPv4 address in IPv6 form counts as the IPv4 address. */
  isTrusted(address: string): boolean {
    if (this.isEmpty) return false
    const canonical = canonicalAddress(address)
    return canonical !== null && this.#networks.check(canonical, isIP(canonical) === 6 ? 'ipv6' : 'ipv4')
  }

  /**
   * Reads the forwarded headers of a request, or gives `null` when its peer is not trusted. The addresses of
   * `X-Forwarded-For` are walked from the right; the first one that is not trusted is the client. An entry that is not an address
   * leaves the client unknown: it never counts as the proxy itself. Of the other headers the value written by the same hop is taken.
   */
  resolve(peerAddress: string, rawHeaders: readonly string[]): Forwarded | null {
    if (!this.isTrusted(peerAddress)) return null
    const addresses = listOf(rawHeaders, 'x-forwarded-for')
    let clientAddress = ''
    let hops = 0
    while (hops < addresses.length && hops < maxHops && (hops === 0 || this.isTrusted(clientAddress))) {
      const named = readAddress(addresses[addresses.length - 1 - hops] ?? '')
      clientAddress = named ?? ''
      if (named === null) break
      hops += 1
    }
    const scheme = valueOfHop(listOf(rawHeaders, 'x-forwarded-proto'), hops)?.toLowerCase()
    return {
      clientAddress,
      scheme: scheme === 'http' || scheme === 'https' ? scheme : null,
      host: valueOfHop(listOf(rawHeaders, 'x-forwarded-host'), hops),
      port: readPort(valueOfHop(listOf(rawHeaders, 'x-forwarded-port'), hops)),
    }
  }

  #add(network: string): void {
    const read = readNetwork(network)
    if (read === null) {
      throw new TypeError(`"${network}" is not an address or network; use for example 10.0.0.1, 10.0.0.0/8, fd00::/8`)
    }
    const { address, bits, family } = read
    if (bits === null) this.#networks.addAddress(address, family)
    else this.#networks.addSubnet(address, bits, family)
  }
}

/** An address, or a network with the length of its prefix; `null` for anything else. */
export function readNetwork(
  network: string,
): { readonly address: string; readonly bits: number | null; readonly family: 'ipv4' | 'ipv6' } | null {
  const [given = '', prefix, ...rest] = network.trim().split('/')
  const address = canonicalAddress(given)
  if (address === null || rest.length > 0) return null
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  if (prefix === undefined) return { address, bits: null, family }
  const isMapped = family === 'ipv4' && isIP(given) === 6
  const bits = Number(prefix) - (isMapped ? 96 : 0)
  const maxBits = family === 'ipv4' ? 32 : 128
  return /^\d{1,3}$/.test(prefix) && bits >= 0 && bits <= maxBits ? { address, bits, family } : null
}

/** The canonical form: `10.0.0.1` for `::ffff:10.0.0.1`, IPv6 in lower case without brackets and zone; `null` if it is not an address. */
export function canonicalAddress(address: string): string | null {
  const family = isIP(address)
  if (family === 4) return address
  if (family === 0) return null
  const lower = address.toLowerCase()
  const zone = lower.indexOf('%')
  const bare = zone < 0 ? lower : lower.slice(0, zone)
  if (!bare.includes('ffff:')) return bare
  const mapped = /^(?:(?:0{1,4}:){5}|::)ffff:(?:([\d.]+)|([\da-f]{1,4}):([\da-f]{1,4}))$/.exec(bare)
  if (mapped === null) return bare
  const [, dotted, high, low] = mapped
  if (dotted !== undefined) return dotted
  const bits = (Number.parseInt(high ?? '0', 16) << 16) | Number.parseInt(low ?? '0', 16)
  return [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255].join('.')
}

// Some proxies write the port too: `203.0.113.1:4711`, `[2001:db8::1]:4711`.
function readAddress(entry: string): string | null {
  const bracket = entry.startsWith('[') ? entry.indexOf(']') : -1
  if (bracket > 0) return canonicalAddress(entry.slice(1, bracket))
  const colon = entry.indexOf(':')
  const hasPort = colon > 0 && colon === entry.lastIndexOf(':')
  return canonicalAddress(hasPort ? entry.slice(0, colon) : entry)
}

function readPort(text: string | null): number | null {
  if (text === null || !/^\d{1,5}$/.test(text)) return null
  const port = Number(text)
  return port >= 1 && port <= 65_535 ? port : null
}

// A list as long as the chain has one value per hop; the first proxy alone wrote a shorter one.
function valueOfHop(values: readonly string[], hops: number): string | null {
  const value = values[Math.max(0, values.length - Math.max(1, hops))]
  return value === undefined || value === '' ? null : value
}

function listOf(rawHeaders: readonly string[], name: string): string[] {
  return [...listedFields(rawHeaders)]
    .filter(([sent]) => sent.toLowerCase() === name)
    .flatMap(([, values]) => values.split(',').map((value) => value.trim()))
}
