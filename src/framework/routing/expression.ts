// Makes regular expressions from the sources of requirements, and answers what they can contain.

/** Compiles with the flag `u`, or `v` where the source needs it (set notation), and always with `s`. Throws a SyntaxError. */
export function makeRegExp(source: string, flags = ''): RegExp {
  try {
    return new RegExp(source, `su${flags}`)
  } catch {
    return new RegExp(source, `sv${flags}`)
  }
}

/** An expression that a value must match as a whole. */
export function wholeMatch(source: string, flags = ''): RegExp {
  return makeRegExp(`^(?:${source})$`, flags)
}

/** Quotes text for an expression with the flag `u`. */
export function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** Whether a value of this requirement could contain the character; `true` when in doubt. */
export function canHold(source: string, char: string): boolean {
  const atoms =
    source.match(
      /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\c[A-Za-z]|\\.|\[(?:\\.|[^\\\]])*\]|[^\\[]/gsu,
    ) ?? []
  return atoms.some((atom) => {
    if (/^[()|?*+{}^$]$/.test(atom) || atom === '\\b' || atom === '\\B') return false
    try {
      return makeRegExp(`^${atom}$`).test(char)
    } catch {
      return true
    }
  })
}
