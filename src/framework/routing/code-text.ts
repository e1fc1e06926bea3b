// Small pieces of the generated code: positions in the path, comparisons of text, values.

/** A position in the path: a number known now, or a variable plus a number. */
export interface Place {
  readonly variable: string
  readonly offset: number
}

/** Longer texts are compared by `startsWith`. */
const maxComparedChars = 16

/** The position as an expression. */
export function at({ variable, offset }: Place): string {
  if (variable === '') return String(offset)
  return offset === 0 ? variable : `${variable} + ${offset}`
}

/** The test for all but the first character, which the branch has looked at. */
export function textTest(text: string, place: Place): string {
  const { length } = text
  if (length === 1) return ''
  if (length > maxComparedChars) return `p.startsWith(${literal(text)}, ${at(place)})`
  const tests = [`n >= ${at({ ...place, offset: place.offset + length })}`]
  for (let index = 1; index < length; index += 1) {
    tests.push(`p.charCodeAt(${at({ ...place, offset: place.offset + index })}) === ${text.charCodeAt(index)}`)
  }
  return tests.join(' && ')
}

/** A value of a route as it stands in code. */
export function literal(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}
