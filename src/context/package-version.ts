// The version of this package.

import { readFileSync } from 'node:fs'

/** As package.json has it, which lies two folders up from sources and from built files alike: `0.1.0`. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
