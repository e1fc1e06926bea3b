// Reads the maintenance page from a file, whole or not at all. What is served instead is the listener's business.

import { close, constants, fstat, open, read } from 'node:fs'
import { promisify } from 'node:util'

/** Of `node:fs`, not `node:fs/promises`: every start reads a page, and that module takes another 1 MB. */
const files = { open: promisify(open), fstat: promisify(fstat), read: promisify(read), close: promisify(close) }

/** Bytes of a maintenance page at most. */
export const maxPageBytes = 1_048_576

/**
 * The page in a file. Throws an Error that says why it cannot be used: not there, not readable, not an ordinary file, empty,
 * larger than 1 MB, not UTF-8, changed while it was read, or not ended by `</html>` (which is how a page that is still
 * being written is told from a whole one).
 */
export async function readPageFile(path: string): Promise<string> {
  // Not waiting at the other end of a pipe: opening a FIFO without this flag would hang.
  const file = await files.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return await readWhole(file)
  } finally {
    await files.close(file)
  }
}

async function readWhole(file: number): Promise<string> {
  const before = await files.fstat(file, { bigint: true })
  if (!before.isFile()) throw new Error(before.isDirectory() ? 'it is a directory' : 'it is not an ordinary file')
  if (before.size > maxPageBytes) throw new Error(`it has ${before.size} bytes; at most ${maxPageBytes} are allowed`)
  // One byte more than expected, so that a file that has grown is noticed without reading all of it.
  const buffer = Buffer.alloc(Number(before.size) + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await files.read(file, buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  const after = await files.fstat(file, { bigint: true })
  const isSame = after.size === before.size && after.mtimeNs === before.mtimeNs && length === Number(before.size)
  if (!isSame) throw new Error('it changed while it was read')
  const page = decode(buffer.subarray(0, length))
  if (!/<\/html>\s*$/i.test(page.slice(-200))) throw new Error('it does not end with </html>')
  return page
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Error('it is not UTF-8', { cause })
  }
}
