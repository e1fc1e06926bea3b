// An error as parts of a response: the root cause, where to change it, then what led to it. It is read as far as a profile has it
// in a known form.

import * as v from 'valibot'
import type { Frame } from '../../errors/flattened-error.ts'
import { candidateLine, originHead, originSourceLines } from '../../errors/origin-lines.ts'
import { excerptLines, frameText, framePlace, leadingFrame } from '../../errors/trace-lines.ts'
import type { ValueOrigin } from '../../errors/value-origin.ts'
import type { Profile } from '../profile.ts'
import { readPartAs } from '../stored-data.ts'
import { listParts, quote, type ResponsePart } from './tool-response.ts'

/** One error of a chain. */
interface StoredError {
  readonly className: string
  readonly message: string
  readonly properties: readonly { readonly name: string; readonly value: string }[]
  readonly frames: readonly Frame[]
  readonly members: readonly { readonly errors: readonly StoredError[] }[]
}

type Parts = readonly ResponsePart[]

/** Why a request failed, and the errors of the chain with their stacks, the innermost first. `undefined`: nothing is known of an error. */
export function errorParts(
  profile: Pick<Profile, 'data'>,
): { readonly cause: Parts; readonly stack: Parts } | undefined {
  const thrown = readPartAs(profile, 'exception', explained)
  if (thrown.state !== 'there') return undefined
  const { errors, candidates, hints, origins } = thrown.data
  const root = errors.at(-1)
  const quoted = (text: string): string => quote(text, 480)
  const lines = errors.toReversed().flatMap((error, index) => stackLines(error, index === 0 ? [] : ['wrapped by']))
  return {
    cause:
      root === undefined
        ? []
        : [
            rootPart(root, errors.length),
            ...listParts('Where to change it', candidates.map(candidateLine).map(quoted)),
            ...listParts('Hints', hints.map(({ title, text }) => `${title}: ${text}`).map(quoted)),
            ...sourceParts(root, errors),
            ...originParts(origins),
          ],
    stack: [{ title: 'Stack', lines }],
  }
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

/** The source of the line that threw. A frame of the root says more than one of an error that wraps it. */
function sourceParts(root: StoredError, errors: readonly StoredError[]): Parts {
  const frame = leadingFrame(root.frames) ?? leadingFrame(errors.flatMap(({ frames }) => frames))
  if (frame === undefined) return []
  const text = quote(framePlace(frame))
  return [{ title: 'Source', text, lines: excerptLines(frame, 4), language: 'ts' }]
}

function originParts(origins: readonly ValueOrigin[]): Parts {
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

const excerpt = v.object({
  startLine: v.number(),
  lines: v.array(v.array(v.tuple([v.string(), v.string()]))),
})

const frame = v.object({
  functionName: v.optional(v.nullable(v.string()), null),
  file: v.string(),
  line: v.optional(v.number(), 0),
  column: v.optional(v.number(), 0),
  origin: v.picklist(['own', 'dependency', 'node']),
  isAsync: v.optional(v.boolean(), false),
  excerpt: v.optional(v.nullable(excerpt), null),
})

const error: v.GenericSchema<unknown, StoredError> = v.object({
  className: v.optional(v.string(), ''),
  message: v.optional(v.string(), ''),
  properties: v.optional(v.array(v.object({ name: v.string(), value: v.string() })), []),
  frames: v.array(frame),
  members: v.optional(v.array(v.object({ errors: v.array(v.lazy(() => error)) })), []),
})

/** Outermost first, with what explains it. */
const explained = v.object({
  errors: v.array(error),
  hints: v.optional(v.array(v.object({ title: v.string(), text: v.string() })), []),
  candidates: v.optional(v.array(v.object({ file: v.string(), line: v.number(), why: v.string() })), []),
  origins: v.optional(
    v.array(
      v.object({
        usedAt: v.string(),
        name: v.string(),
        note: v.string(),
        source: v.nullable(
          v.object({ file: v.string(), line: v.number(), parts: v.array(excerpt), marked: v.array(v.number()) }),
        ),
      }),
    ),
    [],
  ),
})
