// Header fields as one text and their lengths: one string is made and copied where there were twenty.

/** Names and values in turn. */
export interface PackedFields {
  readonly text: string
  /** Of each name and value. */
  readonly lengths: readonly number[]
  /** Characters of the text between one and the next. */
  readonly gap: number
}

/** Names and values that are kept of one head. */
export const maxEntries = 200
/** Fields of a head that is longer are joined one by one. */
const maxHead = 16 * 1024
/** What stands behind a name or a value as a rule: `: ` or a line break. */
const usualGap = 2

export const noFields: PackedFields = { text: '', lengths: [], gap: 0 }

/** Packs fields as a client keeps them; what is no string is written as one. */
export function packFields(fields: readonly unknown[]): PackedFields {
  const lengths: number[] = []
  let text = ''
  const count = Math.min(fields.length, maxEntries)
  for (let index = 0; index < count; index += 1) {
    const field = textOf(fields[index])
    text += field
    lengths.push(field.length)
  }
  return { text, lengths, gap: 0 }
}

/** Packs fields as they were received. Those that still lie in the chunk that they came in, one behind the other, are read at once. */
export function packReceived(fields: readonly Buffer[]): PackedFields {
  const [first] = fields
  if (first === undefined) return noFields
  const { buffer, byteOffset: start } = first
  const lengths: number[] = []
  let next = start
  const count = Math.min(fields.length, maxEntries)
  for (let index = 0; index < count; index += 1) {
    const field = fields[index]!
    if (field.byteOffset !== next || next > start + maxHead || field.buffer !== buffer) {
      return packFields(fields.slice(0, count).map((one) => one.toString('latin1')))
    }
    lengths.push(field.byteLength)
    next += field.byteLength + usualGap
  }
  return { text: Buffer.from(buffer, start, next - usualGap - start).toString('latin1'), lengths, gap: usualGap }
}

/** Names and values in turn. */
export function unpackFields({ text, lengths, gap }: PackedFields): readonly string[] {
  let at = 0
  return lengths.map((length) => {
    const field = text.slice(at, at + length)
    at += length + gap
    return field
  })
}

/** A value of a header as a client keeps it, or its name. */
export function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}
