// Reads a host with its port, as it stands in a Host header or in the authority of an absolute target (RFC 9110, section
// 7.2; RFC 3986, section 3.2). Stricter than the grammar: percent signs and sub-delimiters are in no host name that resolves.

import { isIPv6 } from 'node:net'

/** A host in lower case; `port` is `null` where none was named. */
export interface HostAndPort {
  /** `example.org`, `127.0.0.1`, `[::1]`. */
  readonly host: string
  readonly port: number | null
}

/** Longest host with port that is read. */
const maxLength = 255

/** Reads `Example.org:8000`; `null` for what is none: empty, user info, bad characters, empty labels, a port over 65535. Never throws. */
export function readHost(text: string): HostAndPort | null {
  if (text.length === 0 || text.length > maxLength) return null
  const end = text.charCodeAt(0) === 0x5b ? endOfIpv6(text) : endOfName(text)
  if (end <= 0) return null
  const host = (end === text.length ? text : text.slice(0, end)).toLowerCase()
  if (end === text.length) return { host, port: null }
  const port = readPort(text, end)
  return port === -1 ? null : { host, port: port === -2 ? null : port }
}

/** Reads hosts for one server: most of its requests name the same one, so the last one is kept. */
export class HostReader {
  #text = ''
  #host: HostAndPort | null = null

  /** The same as `readHost`. */
  read(text: string): HostAndPort | null {
    if (text === this.#text) return this.#host
    this.#host = readHost(text)
    this.#text = text
    return this.#host
  }
}

/** Offset behind `[::1]`, or 0. */
function endOfIpv6(text: string): number {
  const bracket = text.indexOf(']')
  return bracket > 0 && !text.includes('%') && isIPv6(text.slice(1, bracket)) ? bracket + 1 : 0
}

/** Offset behind the name: the end of the text or a colon; 0 when a character or an empty label is in the way. */
function endOfName(text: string): number {
  let labelLength = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x2e) {
      if (labelLength === 0) return 0
      labelLength = 0
    } else if (isNameCharacter(code)) {
      labelLength += 1
    } else {
      return code === 0x3a ? index : 0
    }
  }
  return text.length
}

/** The digits behind the colon at `colon`; -1 when it is no port, -2 when there are no digits, which means the default. */
function readPort(text: string, colon: number): number {
  if (text.charCodeAt(colon) !== 0x3a) return -1
  if (colon + 1 === text.length) return -2
  let port = 0
  for (let index = colon + 1; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - 0x30
    if (digit < 0 || digit > 9) return -1
    port = port * 10 + digit
    if (port > 65_535) return -1
  }
  return port
}

function isNameCharacter(code: number): boolean {
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f
}
