// Which versions of Node can be used.

/** As in `engines` of package.json. Lines begin where Node runs TypeScript as it is, and where the parser begins. */
export const allowedNodes = '^22.18.0 || ^24.11.0 || >=26.0.0'

/** What is wrong with a version, `24.21.0`; `null` for an allowed one. */
export function nodeProblem(version: string): string | null {
  const [major = 0, minor = 0] = numbersOf(version)
  const isAllowed = allowedNodes.split(' || ').some((range) => {
    const [least = 0, leastMinor = 0] = numbersOf(range)
    return major === least ? minor >= leastMinor : range.startsWith('>=') && major > least
  })
  return isAllowed ? null : `Node "${version}" cannot be used: allowed are ${allowedNodes}`
}

function numbersOf(version: string): number[] {
  return version.replace(/^\D+/, '').split('.').map(Number)
}
