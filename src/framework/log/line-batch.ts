// Gathers lines for a moment, then forms and writes them as one piece: a system call for each line costs more than making
// it, and making many at once less for each. Lines of weight, and the end of the process, wait for nothing.

import type { BoundedOutput } from './bounded-output.ts'
import type { LogLine } from './logger.ts'

/** Lines that are gathered at most. */
const maxGathered = 64

/** Gives the text of a line, with its end. `atMs`: when it was written, milliseconds since 1970. Never throws. */
export type LineFormat = (line: LogLine, atMs: number) => string

/** Gathers what goes to one output. */
export class LineBatch {
  readonly #output: Pick<BoundedOutput, 'write'>
  readonly #format: LineFormat
  #delayMs: number
  #lines: LogLine[] = []
  #times: number[] = []
  #timer: NodeJS.Timeout | undefined
  #endOfTurn: NodeJS.Immediate | undefined
  #isClosed = false

  /** `delayMs`: how long a line waits for company, in milliseconds; 0: not at all. */
  constructor(output: Pick<BoundedOutput, 'write'>, format: LineFormat, delayMs: number) {
    this.#output = output
    this.#format = format
    this.#delayMs = delayMs
    if (delayMs > 0) keepUntilExit(this)
  }

  /** Takes a line that nobody changes any more. An urgent one leaves at once, and those before it. */
  write(line: LogLine, isUrgent: boolean): void {
    if (this.#delayMs === 0 && this.#lines.length === 0) return this.#output.write(this.#format(line, Date.now()))
    this.#lines.push(line)
    this.#times.push(Date.now())
    if (isUrgent || this.#delayMs === 0 || this.#lines.length >= maxGathered) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), this.#delayMs).unref()
  }

  /** Takes a line, whatever its weight, that may wait for those after it: for the delay, or to the end of this turn of the event loop. */
  writeSoon(line: LogLine): void {
    if (this.#isClosed || this.#delayMs > 0) return this.write(line, false)
    if (this.#lines.length === 0) keepUntilExit(this)
    this.#lines.push(line)
    this.#times.push(Date.now())
    if (this.#lines.length >= maxGathered) this.flush()
    else this.#endOfTurn ??= setImmediate(() => this.flush())
  }

  /** Writes what was gathered. */
  flush(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#endOfTurn)
    this.#timer = undefined
    this.#endOfTurn = undefined
    const lines = this.#lines
    if (lines.length === 0) return
    const times = this.#times
    this.#lines = []
    this.#times = []
    let text = ''
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index]
      if (line !== undefined) text += this.#format(line, times[index] ?? 0)
    }
    this.#output.write(text, lines.length)
  }

  /** Writes what was gathered; lines that come later wait for nothing. */
  close(): void {
    this.flush()
    this.#isClosed = true
    this.#delayMs = 0
    unwritten.delete(this)
    if (unwritten.size === 0) process.off('exit', flushAll)
  }
}

/** All that may hold lines when the process ends. They share one listener: Node warns of many. */
const unwritten = new Set<LineBatch>()

function keepUntilExit(batch: LineBatch): void {
  if (unwritten.has(batch)) return
  if (unwritten.size === 0) process.on('exit', flushAll)
  unwritten.add(batch)
}

function flushAll(): void {
  for (const batch of unwritten) batch.flush()
}
