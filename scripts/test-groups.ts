// Decides which test files share a process. Most of what a light file costs is loading the same sources as its neighbours.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A group runs its files one after another: large enough to save loading, small enough for the last one not to run alone for long. */
const filesPerGroup = 16
const testFolder = resolve('test') + sep

/** What a file, or a test file that it imports, must not have to share a process: it starts another one, or changes what all share. */
const needsOwnProcess = [
  /'node:(?:child_process|cluster|inspector|module|v8|worker_threads)'/,
  /'playwright-core'/,
  /\bprocess\.(?:chdir|emit|env\b\[|env =|exit|kill|on\(|once\()/,
  /\b(?:globalThis|mock)\./,
  /^\/\/ Needs its own process: /m,
]

/** Writes a file for each group into `folder`, and names the files to run: those of the groups, and those that stay alone. */
export function groupFiles(files: readonly string[], folder: string): string[] {
  const reasons = new Map<string, boolean>()
  const light = files.filter((file) => !isAlone(resolve(file), reasons))
  const alone = files.filter((file) => !light.includes(file))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const groups: string[] = []
  for (let start = 0; start < light.length; start += filesPerGroup) {
    const group = `${folder}/${String(groups.length + 1).padStart(2, '0')}.test.ts`
    writeFileSync(group, programOf(light.slice(start, start + filesPerGroup)))
    groups.push(group)
  }
  return [...groups, ...alone]
}

/** Each file is a suite with its path as the name. */
function programOf(files: readonly string[]): string {
  const suites = files.map((file) => {
    const url = JSON.stringify(pathToFileURL(resolve(file)).href)
    return `describe(${JSON.stringify(file)}, async () => {\n  await import(${url})\n})\n`
  })
  return `import { describe } from 'node:test'\n\n${suites.join('')}`
}

function isAlone(file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file)
  if (before !== undefined) return before
  // Holds for files that import each other until it is known.
  known.set(file, false)
  const text = readFileSync(file, 'utf8')
  const result =
    needsOwnProcess.some((pattern) => pattern.test(text)) ||
    importedTestFiles(file, text).some((imported) => isAlone(imported, known))
  known.set(file, result)
  return result
}

function importedTestFiles(file: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)]
    .map(([, specifier = '']) => resolve(dirname(file), specifier))
    .filter((path) => path.startsWith(testFolder) && existsSync(path))
}
