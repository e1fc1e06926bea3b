// Which versions of Node can be used.

/** Oldest version of the line 24 that has the fixes a server needs, and the first line after it that is kept long. */
const oldest24 = [24, 18, 1] as const
const nextMajor = 26

/** What is wrong with a version, `24.21.0`; `null` for one of `^24.18.1 || >=26.0.0`. */
export function nodeProblem(version: string): string | null {
  const [major = 0, minor = 0, patch = 0] = version.split('-', 1)[0]?.split('.').map(Number) ?? []
  const isNew24 = major === oldest24[0] && (minor > oldest24[1] || (minor === oldest24[1] && patch >= oldest24[2]))
  if (isNew24 || major >= nextMajor) return null
  return `Node "${version}" cannot be used: allowed are ^${oldest24.join('.')} and >=${nextMajor}.0.0`
}
