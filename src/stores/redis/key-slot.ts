// The slot of a key in a cluster, by which every node and client knows who serves it.

/** Slots of every cluster. */
export const slotCount = 16_384

/** 0 to 16,383. Of a key with braces only what is between the first ones counts, so that `a{x}` and `b{x}` are served together. */
export function slotOf(key: string): number {
  const tag = /^[^{]*\{([^}]+)\}/.exec(key)?.[1]
  return crc16(Buffer.from(tag ?? key)) % slotCount
}

/** CRC16 as Redis counts it: polynomial 0x1021, from 0. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021
    crc &= 0xffff
  }
  return crc
}
