// Names the family of an error: errors of one origin have the same name. Counts how often each family was seen.

import type { ErrorChain, Frame } from './flattened-error.ts'

/** Characters of the parts of an error family. */
const maxNameLength = 100
const maxPlaceLength = 160
const maxMessageLength = 120

/**
 * A name that errors of the same origin share: the class, the class of the root cause, the innermost line of the application's code,
 * and what the root cause says, without values. `OrderError ← TypeError in src/prices.ts:12 (PriceList.find): no price for "…"`.
 */
export function errorFamily({ errors }: ErrorChain): string | null {
  const [outermost] = errors
  const root = errors.at(-1)
  if (outermost === undefined || root === undefined) return null
  const classes = root === outermost ? [outermost] : [outermost, root]
  const frames = errors.toReversed().flatMap((error) => error.frames.find(({ origin }) => origin === 'own') ?? [])
  const names = classes.map(({ className }) => className.slice(0, maxNameLength)).join(' ← ')
  const said = withoutValues(root.message)
  return `${names}${placeOf(frames[0])}${said === '' ? '' : `: ${said}`}`
}

function placeOf(frame: Frame | undefined): string {
  if (frame === undefined) return ''
  const name = frame.functionName?.slice(0, maxNameLength) ?? ''
  return ` in ${frame.file.slice(-maxPlaceLength)}:${frame.line}${name === '' ? '' : ` (${name})`}`
}

/** The family without its line: what stays the same where code moves up or down in its file. */
export function withoutLine(family: string): string {
  return family.replace(/:\d+(?= \(|: |$)/, '')
}

/** The first line of a message; quoted text that is not a name, addresses, and words with a digit are values. */
export function withoutValues(message: string): string {
  const [line = ''] = message.slice(0, 1000).split('\n', 1)
  return line
    .replace(/(["'`])(?![a-z_$]{1,40}\1)[^"'`]+\1/gi, '$1…$1')
    .replace(/\S+(?::\/\/|@)\S+|[^\s"'`()]*\d[^\s"'`()]*/g, '…')
    .trim()
    .slice(0, maxMessageLength)
}

export interface SeenErrors {
  readonly family: string
  readonly count: number
  /** Of the first one, in milliseconds since 1970. */
  readonly firstAt: number
}

const maxFamilies = 1000

/** Counts the errors of one process by family. Of many families, those not seen for longest are forgotten. */
export class ErrorCounts {
  readonly #seen = new Map<string, SeenErrors>()

  /** Counts an error; `null` without one. */
  note(chain: ErrorChain, now: number): SeenErrors | null {
    const family = errorFamily(chain)
    if (family === null) return null
    const { count = 0, firstAt = now } = this.#seen.get(family) ?? {}
    const seen = { family, count: count + 1, firstAt }
    // Moves the family to the end of the order.
    this.#seen.delete(family)
    this.#seen.set(family, seen)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > maxFamilies && oldest !== undefined) this.#seen.delete(oldest)
    return seen
  }
}
