// Leaves of the declarations that tsc wrote, one for each source file, those that users of the package can see.

import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes every `.d.ts` of a directory that no entry (`index`, `cli/main`) reaches by imports. Throws for an import of a file that is not there. */
export function keepReachedDeclarations(directory: string, entries: readonly string[]): void {
  const reached = new Set<string>()
  const waiting = entries.map((entry) => join(directory, `${entry}.d.ts`))
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    if (!existsSync(file)) throw new Error(`${file} is imported, but tsc did not write it.`)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g))
      waiting.push(join(file, '..', path.replace(/\.[jt]s$/, '.d.ts')))
  }
  for (const path of globSync('**/*.d.ts', { cwd: directory }))
    if (!reached.has(join(directory, path))) rmSync(join(directory, path))
}
