// What a command speaks through: lines out, one line of error, colours where a person looks.

import { styleText } from 'node:util'
import { visibleText } from './visible-text.ts'

/** A colour with a meaning. Used for the library's own words, never taken from data. */
export type Tone = 'good' | 'warning' | 'bad' | 'quiet' | 'strong'

/** Where the output goes. */
export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

/** What a terminal is made of. */
export interface TerminalOptions {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** `NO_COLOR` (not empty) turns colours off, `COLUMNS` gives a width where the stream has none. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Output of one run of the command. */
export class Terminal {
  /** Columns of the terminal, or `undefined` where nobody looks (a pipe, a file): then nothing is cut. */
  readonly columns: number | undefined
  readonly #stdout: OutputStream
  readonly #stderr: OutputStream
  readonly #hasColours: boolean

  constructor(options: TerminalOptions) {
    this.#stdout = options.stdout
    this.#stderr = options.stderr
    const isTty = options.stdout.isTTY === true
    this.#hasColours = isTty && (options.env['NO_COLOR'] ?? '') === '' && options.env['TERM'] !== 'dumb'
    this.columns = isTty ? columnsOf(options) : undefined
  }

  /** Writes lines as they are: their data must have gone through `visibleText`. */
  lines(lines: readonly string[]): void {
    this.#stdout.write(lines.map((line) => `${line}\n`).join(''))
  }

  /** Writes one JSON document. Controls in strings are escaped, those that JSON leaves alone too. */
  json(value: unknown): void {
    const text = JSON.stringify(value, null, 2)
    this.#stdout.write(`${text.replace(/[\u007f-\u009f\u2028\u2029]/g, jsonEscape)}\n`)
  }

  /** Writes one JSON document on one line. */
  jsonLine(value: unknown): void {
    this.#stdout.write(`${JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029]/g, jsonEscape)}\n`)
  }

  /** Writes one line to standard error: `fanlight: …`. */
  error(message: string): void {
    this.#stderr.write(`fanlight: ${visibleText(message)}\n`)
  }

  /** Colours a text where colours are shown. */
  tone(tone: Tone, text: string): string {
    return this.#hasColours ? styleText(formats[tone], text, { validateStream: false }) : text
  }
}

const formats = { good: 'green', warning: 'yellow', bad: 'red', quiet: 'dim', strong: 'bold' } as const

function columnsOf(options: TerminalOptions): number {
  const named = Number(options.env['COLUMNS'])
  return options.stdout.columns ?? (Number.isSafeInteger(named) && named > 0 ? named : 80)
}

function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
