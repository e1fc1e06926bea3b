// Hints that need more than the message: what the source around the failed line shows.

import type { FlattenedError } from '../flattened-error.ts'
import { lineText } from '../trace-lines.ts'
import { firstGroup, type BuiltInHint, type Hint, type HintRows } from './hint.ts'
import { typeWithMethod } from './values.ts'

const fraction = /(?<![\d.])(\d{1,12}\.\d{0,12}(?:0{6,}|9{6,})\d{1,4})(?!\d)/

export const evidenceHints: HintRows = {
  'loop-variable': {
    replaces: 'property-of-nothing',
    ...shownBy(findLoopVariable, ({ name, place }) => ({
      title: `Every callback of the loop shares ${name}`,
      text: `\`var ${name}\` at ${place} has its last value when the callback runs, which is past the end of the list. Write \`let ${name}\`.`,
    })),
  },
  'prototype-lost': {
    replaces: 'not-a-function',
    ...shownBy(findLostPrototype, ({ name, place }) => ({
      title: `${name} is a copy without the methods of its class`,
      text: `A spread, structuredClone and JSON.parse copy fields only: see ${place}. Make a new instance of the class, or call the method on the original.`,
    })),
  },
  'binary-fraction': {
    message: fraction,
    title: ({ message }) => `${firstGroup(fraction, message)} is a rounding error of binary fractions`,
    text: 'Numbers such as 0.1 have no exact form. Calculate money in whole cents, and round once, where it is shown or compared.',
  },
}

interface Evidence {
  readonly name: string
  /** `src/cart.ts:12` */
  readonly place: string
}

/** A hint that is given where `find` finds something. */
function shownBy(
  find: (error: FlattenedError) => Evidence | undefined,
  hintOf: (found: Evidence) => Hint,
): Pick<BuiltInHint, 'matches' | 'explain'> {
  return {
    matches: (error) => find(error) !== undefined,
    explain: (error) => hintOf(find(error) ?? { name: 'a value', place: '' }),
  }
}

/** Goes through the source above the own frames of an error, innermost first, until something is found; what is below has not run yet. */
function findLine<Found>(
  { frames }: FlattenedError,
  look: (text: string, placeOf: () => string) => Found | undefined,
): Found | undefined {
  for (const { file, line, origin, excerpt } of frames) {
    if (origin !== 'own' || excerpt === null) continue
    const { startLine, lines } = excerpt
    for (let at = startLine; at <= line; at += 1) {
      const found = look(lineText(lines[at - startLine] ?? []), () => `${file}:${at}`)
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** The line that failed. */
function failedLine({ frames }: FlattenedError): string {
  const lead = frames.find(({ origin, excerpt }) => origin === 'own' && excerpt !== null)
  return lineText(lead?.excerpt?.lines[lead.line - lead.excerpt.startLine] ?? [])
}

/** `items[i]` is undefined, and `i` comes from `for (var i = …`. */
function findLoopVariable(error: FlattenedError): Evidence | undefined {
  if (!/ of (?:undefined|null)\b/.test(error.message)) return undefined
  const failed = failedLine(error)
  if (!failed.includes('[')) return undefined
  return findLine(error, (text, placeOf) => {
    const name = firstGroup(/\bfor\s*\(\s*var\s+([\w$]+)\s*=/, text)
    return name !== '' && failed.includes(`[${name}]`) ? { name, place: placeOf() } : undefined
  })
}

/** `cart.total is not a function`, and `cart = { ...` is near. */
function findLostPrototype(error: FlattenedError): Evidence | undefined {
  const [, name = '', method = ''] = /^([A-Za-z_$][\w$]*)\.([\w$]+) is not a function$/.exec(error.message) ?? []
  // A method of an array or a date was never on the class.
  if (name === '' || typeWithMethod(method) !== undefined) return undefined
  const copy = new RegExp(
    String.raw`(?<![\w$.])${escaped(name)}(?:\s*:[^=]*)?\s*=\s*(?:await\s+)?(?:\{\s*\.\.\.|structuredClone\(|JSON\.parse\(|Object\.assign\(\s*\{)`,
  )
  return findLine(error, (text, placeOf) => (copy.test(text) ? { name, place: placeOf() } : undefined))
}

/** `$` is the only character of a name that means something in a pattern. */
function escaped(name: string): string {
  return name.replaceAll('$', String.raw`\$`)
}
