// An error as parts of a response: the root cause, where to change it, then what led to it.

import { candidateLine, originHead, originSourceLines } from '../../errors/origin-lines.ts'
import { excerptLines, frameText, framePlace, leadingFrame } from '../../errors/trace-lines.ts'
import type { ResponsePart } from './tool-response.ts'
import { quote } from './quote.ts'
import type { StoredError, StoredExplanation } from './stored-error.ts'

/** Why it failed. */
export function causeParts(thrown: StoredExplanation): readonly ResponsePart[] {
  const root = thrown.errors.at(-1)
  if (root === undefined) return []
  return [
    rootPart(root, thrown.errors.length),
    ...listPart('Where to change it', thrown.candidates.map(candidateLine)),
    ...listPart(
      'Hints',
      thrown.hints.map(({ title, text }) => `${title}: ${text}`),
    ),
    ...sourceParts(root, thrown),
    ...originParts(thrown.origins),
  ]
}

/** The errors of the chain with their stacks, the innermost first. */
export function stackPart({ errors }: StoredExplanation): ResponsePart {
  const lines = errors.toReversed().flatMap((error, index) => stackLines(error, index === 0 ? [] : ['wrapped by']))
  return { title: 'Stack', lines }
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

function rootPart(root: StoredError, length: number): ResponsePart {
  const wrapped = length === 1 ? '' : ` (innermost of ${length} errors)`
  return {
    title: 'Root cause',
    text: `${quote(root.className, 120)}${wrapped}`,
    lines: linesOf(root.message === '' ? 'The error has no message.' : root.message),
  }
}

function listPart(title: string, lines: readonly string[]): readonly ResponsePart[] {
  if (lines.length === 0) return []
  return [{ title, items: lines.map((line) => `- ${quote(line, 480)}`) }]
}

/** The source of the line that threw. A frame of the root says more than one of an error that wraps it. */
function sourceParts(root: StoredError, { errors }: StoredExplanation): readonly ResponsePart[] {
  const frame = leadingFrame(root.frames) ?? leadingFrame(errors.flatMap(({ frames }) => frames))
  if (frame === undefined) return []
  const text = quote(framePlace(frame))
  return [{ title: 'Source', text, lines: excerptLines(frame, 4), language: 'ts' }]
}

function originParts(origins: StoredExplanation['origins']): readonly ResponsePart[] {
  if (origins.length === 0) return []
  const lines = origins.flatMap((origin) => [
    `// ${originHead(origin)}`,
    ...(origin.source === null ? [] : originSourceLines(origin.source)),
  ])
  return [{ title: 'Where the values come from', lines: lines.flatMap(linesOf), language: 'ts' }]
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/)
}
