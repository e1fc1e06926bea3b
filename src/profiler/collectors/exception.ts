// What was thrown: the chain of errors as the error handler kept it, masked.

import type { ErrorChain, Frame } from '../../errors/flattened-error.ts'
import type { BuiltInCollector } from '../request-record.ts'

/** Characters of the parts of an error family. */
const maxNameLength = 100
const maxPlaceLength = 160

/** Nothing if nothing was thrown. */
export const exceptionCollector: BuiltInCollector<ErrorChain> = {
  name: 'exception',
  collect: ({ parts }) => parts.exception,
  summarize: (chain) => ({ errorFamily: familyOf(chain) }),
  // Most of a long chain is source code. A chain that is too long without it is left out.
  cut: (chain) => ({ ...withoutSource(chain), cut: joined(chain.cut, 'source, to keep the profile small') }),
}

/** Class of the outermost error that a recording keeps, or `null`. */
export function errorClassOf(recording: { kept(name: string): unknown }): string | null {
  // Only the error handler keeps something under this name.
  return (recording.kept('exception') as ErrorChain | undefined)?.errors[0]?.className ?? null
}

/**
 * A name that errors of the same origin share, whatever their messages and line numbers: the class, the class of the root
 * cause, and the first stack frame in the application's code. `OrderError ← TypeError in src/prices.ts (PriceList.find)`.
 */
function familyOf({ errors }: ErrorChain): string | null {
  const [outermost] = errors
  if (outermost === undefined) return null
  const root = errors.at(-1)
  const classes = root === undefined || root === outermost ? [outermost] : [outermost, root]
  const frames = errors.toReversed().flatMap((error) => error.frames.find(({ origin }) => origin === 'own') ?? [])
  return `${classes.map(({ className }) => className.slice(0, maxNameLength)).join(' ← ')}${placeOf(frames[0])}`
}

function placeOf(frame: Frame | undefined): string {
  if (frame === undefined) return ''
  const name = frame.functionName?.slice(0, maxNameLength) ?? ''
  return ` in ${frame.file.slice(-maxPlaceLength)}${name === '' ? '' : ` (${name})`}`
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
