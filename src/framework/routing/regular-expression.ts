// Compiles the sources of requirements: always with dot-all and Unicode, so that a character is a character.

/** Compiles with the flag `u`, or `v` where only that understands the source (set notation). Throws a SyntaxError. */
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
