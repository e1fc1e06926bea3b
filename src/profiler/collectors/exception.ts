// What was thrown and what explains it, as the error handler kept it, masked.

import type { ErrorChain, Frame } from '../../errors/flattened-error.ts'
import type { ExplainedChain } from '../../errors/value-origin.ts'
import type { BuiltInCollector } from '../request-record.ts'

/** Characters of the parts of an error family. */
const maxNameLength = 100
const maxPlaceLength = 160
const maxMessageLength = 120

/** Nothing if nothing was thrown. */
export const exceptionCollector: BuiltInCollector<ExplainedChain> = {
  name: 'exception',
  collect: ({ parts }) => parts.exception,
  summarize: (chain) => ({ errorFamily: familyOf(chain) }),
  // Most of a long chain is source code. A chain that is too long without it is left out.
  cut: ({ origins = [], ...chain }) => ({
    ...chain,
    ...withoutSource(chain),
    origins: origins.map((origin) => ({ ...origin, source: null })),
    cut: joined(chain.cut, 'source, to keep the profile small'),
  }),
}

/** Class of the outermost error that a recording keeps, or `null`. */
export function errorClassOf(recording: { kept(name: string): unknown }): string | null {
  // Only the error handler keeps something under this name.
  return (recording.kept('exception') as ErrorChain | undefined)?.errors[0]?.className ?? null
}

/**
 * A name that errors of the same origin share: the class, the class of the root cause, the innermost line of the application's code,
 * and what the root cause says, without values. `OrderError ← TypeError in src/prices.ts:12 (PriceList.find): no price for "…"`.
 */
function familyOf({ errors }: ErrorChain): string | null {
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

/** The first line of a message; quoted text that is not a name, addresses, and words with a digit are values. */
function withoutValues(message: string): string {
  const [line = ''] = message.slice(0, 1000).split('\n', 1)
  return line
    .replace(/(["'`])(?![a-z_$]{1,40}\1)[^"'`]+\1/gi, '$1…$1')
    .replace(/\S+(?::\/\/|@)\S+|[^\s"'`()]*\d[^\s"'`()]*/g, '…')
    .trim()
    .slice(0, maxMessageLength)
}

function withoutSource({ errors, cut }: ErrorChain): ErrorChain {
  const bare = errors.map((error) => ({
    ...error,
    frames: error.frames.map((frame) => ({ ...frame, excerpt: null })),
    members: error.members.map(withoutSource),
  }))
  return { errors: bare, cut }
}

function joined(cut: string | null, more: string): string {
  return cut === null ? more : `${cut}; ${more}`
}
