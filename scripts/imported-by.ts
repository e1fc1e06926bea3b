// Which files are loaded with a file: those that it imports, and what they import. Imports of types and those that are made
// later are left out.

import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Absolute paths, the roots among them. */
export function importedBy(roots: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = roots.map((root) => resolve(root))
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue
    found.add(file)
    for (const target of importsOf(file)) waiting.push(resolve(dirname(file), target))
  }
  return found
}

function importsOf(file: string): readonly string[] {
  const statements = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type\b)([^'"`;()=]*?)\s?(?:from )?'(\.[^']*)'$/gm,
  )
  return [...statements].filter(([, names = '']) => !areTypes(names)).map(([, , target = '']) => target)
}

/** `{ type A, type B }` imports nothing that is there when the program runs. */
function areTypes(names: string): boolean {
  const inside = /^\{(.*)\}$/s.exec(names.trim())?.[1]
  if (inside === undefined) return false
  const each = inside.split(',').filter((name) => name.trim() !== '')
  return each.length > 0 && each.every((name) => /^\s*type\s/.test(name))
}
