// Masks the addresses of `Forwarded` and `X-Forwarded-For`.

import { mask } from './rules.ts'

/** `for=******;proto=https, ******`: of each hop the scheme and the names of the other parts. */
export function maskForwarded(value: string): string {
  return value
    .split(',', maxHops)
    .map((hop) => hop.split(';', maxParts).map(maskPart).join(';'))
    .join(', ')
}

const maxHops = 50
const maxParts = 8

function maskPart(part: string): string {
  const [, name, scheme] = /^\s*(by|for|host|proto)=(?:"?(https?|wss?)"?\s*$)?/i.exec(part) ?? []
  if (name === undefined) return mask
  return `${name}=${name.toLowerCase() === 'proto' ? (scheme ?? mask) : mask}`
}
