// Makes regular expressions of the sources of requirements.

/** For what the source asks of V8, not for matching: compiles with the flag `u`, or `v` if the source needs it (set notation), and with `s` by default. Throws a SyntaxError. */
export function makeRegExp(source: string, flags = 's'): RegExp {
  const known = source.replaceAll(modifiers, withoutModifiers)
  try {
    return new RegExp(known, `u${flags}`)
  } catch {
    return new RegExp(known, `v${flags}`)
  }
}

/** The beginning of a group: `(?i:`, `(?-s:`; and what may look like one. */
const modifiers = /\\.|\(\?([ims]*)(?:-([ims]+))?:/gs

/** Node 22 does not know them: the matcher reads them by itself. Each flag may be there once. */
function withoutModifiers(all: string, added = '', removed = ''): string {
  const flags = added + removed
  return flags !== '' && new Set(flags).size === flags.length ? '(?:' : all
}

/** Quotes text for an expression with the flag `u`. */
export function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
