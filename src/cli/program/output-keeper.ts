// Keeps the beginning and the end of what a program writes, however much that is; masks it when it is asked for.

import { stripVTControlCharacters } from 'node:util'
import type { KeptOutput } from '../../profiler/collectors/command.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'

/** Bytes that are kept of the beginning. */
const headBytes = 16 * 1024
/** Bytes that are kept of the end, where errors stand. */
const tailBytes = 32 * 1024

/** One of the two outputs of a program. */
export class OutputKeeper {
  #head: Buffer = Buffer.alloc(0)
  /** The newest bytes: between one and two times `tailBytes` of them, so that few chunks have to be copied. */
  #tail: Buffer = Buffer.alloc(0)
  #tailChunks: Buffer[] = []
  #tailSize = 0
  #bytes = 0

  /** Takes what was written. */
  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    const free = headBytes - this.#head.length
    if (free > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, free)])
    const rest = chunk.subarray(Math.max(0, free))
    if (rest.length === 0) return
    this.#tailChunks.push(rest)
    this.#tailSize += rest.length
    if (this.#tailSize > 2 * tailBytes) this.#joinTail()
  }

  /** What was kept, with secrets masked. Characters that were cut in two at the gap are left out. */
  kept(redactor: Redactor): KeptOutput {
    this.#joinTail()
    const leftOutBytes = this.#bytes - this.#head.length - this.#tail.length
    if (leftOutBytes === 0) {
      return { head: maskLines(String(Buffer.concat([this.#head, this.#tail])), redactor), leftOutBytes, tail: '' }
    }
    const head = String(this.#head).replace(/\ufffd+$/, '')
    const tail = String(this.#tail).replace(/^\ufffd+/, '')
    return { head: maskLines(head, redactor), leftOutBytes, tail: maskLines(tail, redactor) }
  }

  #joinTail(): void {
    this.#tail = Buffer.concat([this.#tail, ...this.#tailChunks])
    if (this.#tail.length > tailBytes) this.#tail = Buffer.from(this.#tail.subarray(-tailBytes))
    this.#tailChunks = []
    this.#tailSize = 0
  }
}

/** Without colours and other orders to a terminal. Line by line: a secret that is recognised by its form stands in one. */
function maskLines(text: string, redactor: Redactor): string {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => redactor.text(line, headBytes + tailBytes))
    .join('\n')
}
