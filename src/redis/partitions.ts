// The parts that profiles are spread over: how many, which one a token names, and their keys. All keys of a part lie in one slot.

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

export interface Partition {
  readonly index: number
  readonly slot: number
  /** Counts and bytes of its profiles, and its greatest sequence number. */
  readonly totalsKey: string
  /** Rows of ordinary profiles, oldest first. */
  readonly ordinaryKey: string
  /** Rows of profiles with findings. */
  readonly longerKey: string
  /** Never exists. While a slot moves, Redis refuses a script that names a key which is not there: nothing is done by halves. */
  readonly noKey: string
  /** Each profile has a key: this and its token. */
  readonly profilePrefix: string
}

/** Letters that a token can end in, and so the most partitions. */
const letterCount = 36

/** How far apart the numbers of one partition are. Those of all partitions differ by their remainder. */
export const seqStep = 64

/** All partitions of a store, evenly spread over the slots: any number of primaries gets the same share of them, give or take one. */
export function makePartitions(count: number): readonly Partition[] {
  return Array.from({ length: count }, (_, index) => {
    const prefix = `fanlight:{${tagOf(index, count)}}:`
    return {
      index,
      slot: slotOf(prefix),
      totalsKey: `${prefix}totals`,
      ordinaryKey: `${prefix}ordinary`,
      longerKey: `${prefix}longer`,
      noKey: `${prefix}none`,
      profilePrefix: prefix,
    }
  })
}

/** The index of the partition that the last letter of a token names. */
export function indexOfToken(token: string, count: number): number {
  return Number.parseInt(token.slice(-1), letterCount) % count
}

/** A letter that names a partition. */
export function endingOf(index: number): string {
  return index.toString(letterCount)
}

/** The first tag whose slot lies near the middle of the share of the slots that this partition has. */
function tagOf(index: number, count: number): string {
  const share = slotCount / count
  const middle = (index + 0.5) * share
  for (let number = 0; ; number += 1) {
    const tag = `${index.toString(36)}.${number.toString(36)}`
    if (Math.abs(slotOf(tag) - middle) <= share / 16) return tag
  }
}
