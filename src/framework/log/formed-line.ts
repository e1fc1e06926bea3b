// What is made of a line for all who want it: masked, and as text. The lines that this library writes for each request come
// again and again; what was made of the last ones is kept, where nothing in them was masked.

import { fillPlaceholders, type LogLine } from './logger.ts'

/** Masks what lines hold. */
export interface LineMask {
  /** Turns any context into plain, masked, bounded data. */
  readonly mask: (context: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** The same for the context of a line that `isOwn`. Default: as any other. */
  readonly maskOwn?: (context: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** Masks what a message may hold by accident: `Bearer …`, userinfo. */
  readonly maskText: (text: string) => string
}

/** A line that is masked. Its texts are made when they are asked for the first time. */
export class FormedLine {
  readonly level: LogLine['level']
  readonly channel: string
  readonly message: string
  readonly context: Readonly<Record<string, unknown>>
  readonly #maskText: LineMask['maskText']
  #contextJson: string | undefined
  #textJson: string | undefined
  #tailJson: string | undefined

  constructor({ level, channel, message, context, isOwn }: LogLine, { mask, maskOwn = mask, maskText }: LineMask) {
    this.level = level
    this.channel = channel
    this.message = maskText(message)
    this.context = isOwn === true ? maskOwn(context) : mask(context)
    this.#maskText = maskText
  }

  /** The context as JSON. */
  get contextJson(): string {
    this.#contextJson ??= JSON.stringify(this.context)
    return this.#contextJson
  }

  /** The message, filled in, as JSON. Masked once more: a secret may show only where template and value meet. */
  get textJson(): string {
    this.#textJson ??= JSON.stringify(this.#maskText(fillPlaceholders(this)))
    return this.#textJson
  }

  /** What stands behind the time in a line of the process log. */
  get tailJson(): string {
    this.#tailJson ??= tailJson(this.channel, this.contextJson, this.textJson)
    return this.#tailJson
  }
}

/** Channel, context and text of a line of the process log, with its end. */
export function tailJson(channel: string, contextJson: string, textJson: string): string {
  const name = plainName.test(channel) ? `"${channel}"` : JSON.stringify(channel)
  return `,"channel":${name},"context":${contextJson},"msg":${textJson}}\n`
}

/** What JSON writes as it is: asking costs less than having it written. */
const plainName = /^[\w. -]+$/

/** How many are kept. */
const maxKept = 8

/** Forms lines that are `isOwn`. */
export class OwnLines {
  readonly #mask: LineMask
  readonly #kept: FormedLine[] = []
  #oldest = 0

  constructor(mask: LineMask) {
    this.#mask = mask
  }

  /** What is made of a line: the same as of an equal one a moment ago. */
  form(line: LogLine): FormedLine {
    if (!mayComeAgain(line)) return new FormedLine(line, this.#mask)
    for (const kept of this.#kept) if (isLike(kept, line)) return kept
    const formed = new FormedLine(line, this.#mask)
    // What was masked is like no line, and no secret is kept for it.
    if (isLike(formed, line)) {
      this.#kept[this.#oldest] = formed
      this.#oldest = (this.#oldest + 1) % maxKept
    }
    return formed
  }
}

/** Whether its context holds texts and empty records only: the parameters of a route differ, as a rule. */
function mayComeAgain({ context }: LogLine): boolean {
  for (const name in context) {
    const value = context[name]
    if (typeof value !== 'string' && !isEmptyRecord(value)) return false
  }
  return true
}

/** Whether they say the same, of a line that may come again. Lines of one message have the same names in their contexts. */
function isLike(kept: FormedLine, { level, channel, message, context }: LogLine): boolean {
  if (kept.message !== message || kept.level !== level || kept.channel !== channel) return false
  for (const name in context) {
    const value = context[name]
    if (typeof value === 'string' ? kept.context[name] !== value : !isEmptyRecord(kept.context[name])) return false
  }
  return true
}

function isEmptyRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  for (const _ in value) return false
  return true
}
