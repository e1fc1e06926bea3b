// Notes versions of frameworks that the tests do not run with.

import { fileURLToPath } from 'node:url'
import type { Integration, Observer } from './integration.ts'

/** `folder`: URL of the folder that the package was loaded from. */
export function noteUntested(
  { framework, tested, missingBefore }: Integration,
  folder: string,
  observer: Observer,
): void {
  observer.guard(`${framework}: version`, () => {
    const { readFileSync } = process.getBuiltinModule('node:fs')
    const text = readFileSync(`${fileURLToPath(folder)}package.json`, 'utf8')
    const { version } = JSON.parse(text) as { readonly version: string }
    if (isTested(version, tested)) return
    const isBefore = Number.parseInt(version, 10) < Number.parseInt(tested[0] ?? '', 10)
    const limit = (isBefore ? missingBefore : undefined) ?? 'what is shown may be incomplete'
    observer.note(`${framework} ${version} was not tested, but ${tested.join(' and ')}; ${limit}`)
  })
}

/** `tested` as in `Integration`. */
export function isTested(version: string, tested: readonly string[]): boolean {
  const number = numberOf(version)
  return tested.some((range) => {
    const [oldest = '', newest = oldest] = range.split(' to ')
    return numberOf(oldest) <= number && number <= numberOf(newest)
  })
}

/** Orders versions; a pre-release counts as its release. */
function numberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number)
  return (major * 1e4 + minor) * 1e4 + patch
}
