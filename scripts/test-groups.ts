// Decides which test files share a process. Most of what a light file costs is loading the same sources as its neighbours.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A group runs its files one after another: large enough to save loading, small enough for the last one not to run alone for long. */
const filesPerGroup = 16
/** Those that share a browser, or wait for processes that they start, take longer. */
const slowFilesPerGroup = 6
const browserSupport = 'test/support/browser.ts'
const testFolder = resolve('test') + sep

/** What a file, or a test file that it imports, must not have to share a process: it changes what all share. */
const needsOwnProcess = [
  /'node:(?:cluster|inspector|module|v8|worker_threads)'/,
  /\bprocess\.(?:chdir|emit|env =|exit|kill|on\(|once\()/,
  /\bprocess\.env(?:\[[^\]]+\]|\.\w+) (?:\?\?)?= |\bdelete process\.env\b|\bassign\(process\.env\b/,
  /\b(?:globalThis|mock)\./,
  /^\/\/ Needs its own process: /m,
]
const startsProcesses = [/'node:child_process'/]

/** Writes a file for each group into `folder`, and names the files to run: those of the groups, and those that stay alone. */
export function groupFiles(files: readonly string[], folder: string): string[] {
  const of = (patterns: readonly RegExp[]): ((file: string) => boolean) => {
    const known = new Map<string, boolean>([[resolve(browserSupport), false]])
    return (file) => hasAny(patterns, resolve(file), known)
  }
  const isAlone = of(needsOwnProcess)
  const isSlow = of(startsProcesses)
  const alone = files.filter(isAlone)
  const together = files.filter((file) => !alone.includes(file))
  const browser = together.filter((file) => importedTestFiles(resolve(file)).includes(resolve(browserSupport)))
  const others = together.filter((file) => !browser.includes(file))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // The browser of a group ends with its process: the module that starts it belongs to the program, not to the first suite.
  const programs = [
    ...chunksOf(browser, slowFilesPerGroup).map((chunk) => `import '${urlOf(browserSupport)}'\n${programOf(chunk)}`),
    ...chunksOf(others.filter(isSlow), slowFilesPerGroup).map(programOf),
    ...chunksOf(
      others.filter((file) => !isSlow(file)),
      filesPerGroup,
    ).map(programOf),
  ]
  const groups = programs.map((program, index) => {
    const group = `${folder}/${String(index + 1).padStart(2, '0')}.test.ts`
    writeFileSync(group, program)
    return group
  })
  return [...groups, ...alone]
}

function chunksOf(files: readonly string[], size: number): (readonly string[])[] {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, index) =>
    files.slice(index * size, (index + 1) * size),
  )
}

function urlOf(file: string): string {
  return pathToFileURL(resolve(file)).href
}

/**
 * Each file is a suite with its path as the name. They are loaded one after another: what awaits a module that another file is loading
 * would declare its tests in the suite of that file, which may be over.
 */
function programOf(files: readonly string[]): string {
  const suites = files.map((file) => `suite(${JSON.stringify(file)}, ${JSON.stringify(urlOf(file))})\n`)
  return `import { AsyncResource } from 'node:async_hooks'
import { describe } from 'node:test'

let earlier = Promise.resolve()
function suite(name, url) {
  describe(name, async () => {
    const loaded = earlier.then(AsyncResource.bind(() => import(url)))
    earlier = loaded.catch(() => undefined)
    await loaded
  })
}
${suites.join('')}`
}

/** Whether the text of a file, or of a test file that it imports, has something of the kind. */
function hasAny(patterns: readonly RegExp[], file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file)
  if (before !== undefined) return before
  // Holds for files that import each other until it is known.
  known.set(file, false)
  const text = readFileSync(file, 'utf8')
  const result =
    patterns.some((pattern) => pattern.test(text)) ||
    importedTestFiles(file).some((imported) => hasAny(patterns, imported, known))
  known.set(file, result)
  return result
}

function importedTestFiles(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)]
    .map(([, specifier = '']) => resolve(dirname(file), specifier))
    .filter((path) => path.startsWith(testFolder) && existsSync(path))
}
