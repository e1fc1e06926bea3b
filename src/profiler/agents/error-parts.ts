// An error as parts of a response: the root cause, where to change it, then what led to it.

import { candidateLine, originHead, originSourceLines } from '../../errors/origin-lines.ts'
import { excerptLines, frameText, framePlace, leadingFrame } from '../../errors/trace-lines.ts'
import type { ResponsePart, More } from './tool-response.ts'
import { quote } from './quote.ts'
import type { StoredError, StoredExplanation } from './stored-error.ts'

/** Tokens of one sentence. */
const sentence = 120

/** Why it failed. `more` says how the whole of it is got. */
export function causeParts(thrown: StoredExplanation, more: More): readonly ResponsePart[] {
  const root = thrown.errors.at(-1)
  if (root === undefined) return []
  return [
    rootPart(root, thrown.errors.length, more),
    ...listPart('Where to change it', thrown.candidates.map(candidateLine), more),
    ...listPart(
      'Hints',
      thrown.hints.map(({ title, text }) => `${title}: ${text}`),
      more,
    ),
    ...sourceParts(root, thrown, more),
    ...originParts(thrown.origins, more),
  ]
}

/** The errors of the chain with their stacks, the innermost first. */
export function stackPart({ errors }: StoredExplanation, more: More): ResponsePart {
  const lines = errors.toReversed().flatMap((error, index) => stackLines(error, index === 0 ? [] : ['wrapped by']))
  return { title: 'Stack', lines, more, share: 0.35 }
}

function stackLines(error: StoredError, before: readonly string[]): readonly string[] {
  const { className, message, properties, members, frames } = error
  const inner = members.flatMap(({ errors }) => errors)
  return [
    ...before,
    `${className}: ${message}`,
    ...properties.map(({ name, value }) => `  ${name}: ${value}`),
    ...inner.map((one) => `  | ${one.className}: ${one.message}`),
    ...frames.map((frame) => `  at ${frameText(frame)}`),
  ].flatMap(linesOf)
}

function rootPart(root: StoredError, length: number, more: More): ResponsePart {
  const wrapped = length === 1 ? '' : ` (innermost of ${length} errors)`
  return {
    title: 'Root cause',
    text: `${quote(root.className, 30)}${wrapped}`,
    lines: linesOf(root.message === '' ? 'The error has no message.' : root.message),
    more,
    share: 0.35,
  }
}

function listPart(title: string, lines: readonly string[], more: More): readonly ResponsePart[] {
  if (lines.length === 0) return []
  return [{ title, items: lines.map((line) => `- ${quote(line, sentence)}`), things: 'of them', more, share: 0.3 }]
}

/** The source of the line that threw. A frame of the root says more than one of an error that wraps it. */
function sourceParts(root: StoredError, { errors }: StoredExplanation, more: More): readonly ResponsePart[] {
  const frame = leadingFrame(root.frames) ?? leadingFrame(errors.flatMap(({ frames }) => frames))
  if (frame === undefined) return []
  const text = quote(framePlace(frame))
  return [{ title: 'Source', text, lines: excerptLines(frame, 4), language: 'ts', more, share: 0.35 }]
}

function originParts(origins: StoredExplanation['origins'], more: More): readonly ResponsePart[] {
  if (origins.length === 0) return []
  const lines = origins.flatMap((origin) => [
    `// ${originHead(origin)}`,
    ...(origin.source === null ? [] : originSourceLines(origin.source)),
  ])
  return [{ title: 'Where the values come from', lines: lines.flatMap(linesOf), language: 'ts', more, share: 0.25 }]
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/)
}
