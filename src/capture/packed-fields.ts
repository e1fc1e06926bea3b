// Header fields as one text and the places of names and values in it: one string is made and copied where there were twenty.

/** Names and values in turn. */
export interface PackedFields {
  readonly text: string
  /** Where each begins in the text, and where it ends. */
  readonly places: readonly number[]
}

/** Names and values that are kept of one head. */
const maxEntries = 200
/** Fields of a head that is longer are joined one by one. */
const maxHead = 16 * 1024

export const noFields: PackedFields = { text: '', places: [] }

/** Packs fields as a client keeps them; what is no string is written as one. */
export function packFields(fields: readonly unknown[]): PackedFields {
  const places: number[] = []
  let text = ''
  const count = Math.min(fields.length, maxEntries)
  for (let index = 0; index < count; index += 1) {
    const from = text.length
    text += textOf(fields[index])
    places.push(from, text.length)
  }
  return { text, places }
}

/** Packs fields as they were received. Those that still lie in the chunk that they came in are read at once. */
export function packReceived(fields: readonly Buffer[]): PackedFields {
  const [first] = fields
  if (first === undefined) return noFields
  const { buffer, byteOffset: start } = first
  const places: number[] = []
  let end = 0
  const count = Math.min(fields.length, maxEntries)
  for (let index = 0; index < count; index += 1) {
    const field = fields[index]!
    const from = field.byteOffset - start
    if (field.buffer !== buffer || from < end || from > maxHead) {
      return packFields(fields.slice(0, count).map((one) => one.toString('latin1')))
    }
    end = from + field.byteLength
    places.push(from, end)
  }
  return { text: Buffer.from(buffer, start, end).toString('latin1'), places }
}

/** Names and values in turn. */
export function unpackFields({ text, places }: PackedFields): readonly string[] {
  const fields: string[] = []
  for (let at = 0; at < places.length; at += 2) fields.push(text.slice(places[at], places[at + 1]))
  return fields
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}
