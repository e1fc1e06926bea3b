// Gathers lines for a moment and writes them as one piece: a system call for each line costs more than making it. Lines of
// weight, and the end of the process, wait for nothing.

import type { BoundedOutput } from './bounded-output.ts'

/** Characters that are gathered at most. */
const maxGathered = 32_768

/** Gathers what goes to one output. */
export class LineBatch {
  readonly #output: BoundedOutput
  #delayMs: number
  #text = ''
  #lines = 0
  #timer: NodeJS.Timeout | undefined

  /** `delayMs`: how long a line waits for company, in milliseconds; 0: not at all. */
  constructor(output: BoundedOutput, delayMs: number) {
    this.#output = output
    this.#delayMs = delayMs
    if (delayMs > 0) keepUntilExit(this)
  }

  /** Takes a line with its end. An urgent one leaves at once, and those before it. */
  write(line: string, isUrgent: boolean): void {
    if (this.#delayMs === 0) return this.#output.write(line)
    this.#text += line
    this.#lines += 1
    if (isUrgent || this.#text.length >= maxGathered) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), this.#delayMs).unref()
  }

  /** Writes what was gathered. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lines === 0) return
    const text = this.#text
    const lines = this.#lines
    this.#text = ''
    this.#lines = 0
    this.#output.write(text, lines)
  }

  /** Writes what was gathered; lines that come later wait for nothing. */
  close(): void {
    this.flush()
    this.#delayMs = 0
    unwritten.delete(this)
    if (unwritten.size === 0) process.off('exit', flushAll)
  }
}

/** All that may hold lines when the process ends. They share one listener: Node warns of many. */
const unwritten = new Set<LineBatch>()

function keepUntilExit(batch: LineBatch): void {
  if (unwritten.size === 0) process.on('exit', flushAll)
  unwritten.add(batch)
}

function flushAll(): void {
  for (const batch of unwritten) batch.flush()
}
