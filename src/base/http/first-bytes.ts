// The beginning of a body, kept as it passes.

/** Bytes of one body that are kept at most. */
export const maxKeptBytes: number = 64 * 1024

/** Keeps the first bytes of what passes. */
export class FirstBytes {
  readonly #maxBytes: number
  readonly #shared: { left: number } | undefined
  readonly #chunks: Uint8Array[] = []
  #keptBytes = 0
  /** How many bytes passed. */
  bytes = 0
  /** Whether the end passed. */
  isComplete = false

  /** `shared`: what is left for several together. Default: any number. */
  constructor(maxBytes: number = maxKeptBytes, shared?: { left: number }) {
    this.#maxBytes = maxBytes
    this.#shared = shared
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength
    const room = Math.min(this.#maxBytes - this.#keptBytes, this.#shared?.left ?? Infinity)
    if (room <= 0) return
    // Copied: the buffer belongs to others.
    const kept = new Uint8Array(chunk.subarray(0, room))
    this.#chunks.push(kept)
    this.#keptBytes += kept.byteLength
    if (this.#shared !== undefined) this.#shared.left -= kept.byteLength
  }

  get kept(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** How many bytes passed that were not kept. */
  get droppedBytes(): number {
    return this.bytes - this.#keptBytes
  }
}
