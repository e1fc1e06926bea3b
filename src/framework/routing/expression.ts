// Makes regular expressions of the sources of requirements.

/** Compiles with the flag `u`, or `v` if the source needs it (set notation), and with `s` by default. Throws a SyntaxError. */
export function makeRegExp(source: string, flags = 's'): RegExp {
  try {
    return new RegExp(source, `u${flags}`)
  } catch {
    return new RegExp(source, `v${flags}`)
  }
}

/** Quotes text for an expression with the flag `u`. */
export function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
