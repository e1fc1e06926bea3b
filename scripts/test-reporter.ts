// Prints a line per test file, failures in full and a closing count: quiet when all is well, complete when it is not.

import type { TestEvent } from 'node:test/reporters'
import { relative } from 'node:path'

interface FileCount {
  passed: number
  failed: number
}

/** Reporter for `node --test`: one line a file, what was printed and the failures if there are any, then `N passed, N failed, N skipped`. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Map<string, FileCount>()
  const failures: string[] = []
  /** What tests, and the applications in them, print: nobody reads it while all is well. */
  const printed: string[] = []
  let passed = 0
  let failed = 0
  let skipped = 0
  for await (const event of source) {
    switch (event.type) {
      case 'test:pass':
      case 'test:fail': {
        const { name, file = '', details, nesting } = event.data
        const isFileLevel = nesting === 0 && name.endsWith('.test.ts')
        if (details.type === 'suite' && event.type === 'test:pass') break
        if (event.data.skip !== undefined) {
          skipped += 1
          break
        }
        if (isFileLevel && event.type === 'test:pass') break
        const path = isFileLevel ? name : relative(process.cwd(), file)
        if (event.type === 'test:pass') {
          passed += 1
          countOf(files, path).passed += 1
          break
        }
        const { error } = event.data.details
        const isParentOfFailure = (error as { failureType?: string }).failureType === 'subtestsFailed'
        if (isParentOfFailure) break
        failed += 1
        countOf(files, path).failed += 1
        failures.push(`\n✖ ${path}${isFileLevel ? '' : ` › ${name}`}\n${messageOf(error)}\n`)
        break
      }
      case 'test:stderr':
      case 'test:stdout':
        if (!event.data.message.startsWith('TAP')) printed.push(event.data.message)
        break
      case 'test:diagnostic':
        if (event.data.nesting > 0) yield `  ${event.data.message}\n`
        break
      default:
        break
    }
  }
  for (const [file, count] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield `${count.failed > 0 ? '✖' : '✔'} ${file} (${count.passed}${count.failed > 0 ? `, ${count.failed} failed` : ''})\n`
  }
  if (failed > 0) yield* printed
  yield* failures
  yield `\n${passed} passed, ${failed} failed, ${skipped} skipped\n`
}

function countOf(files: Map<string, FileCount>, file: string): FileCount {
  const known = files.get(file)
  if (known !== undefined) return known
  const fresh = { passed: 0, failed: 0 }
  files.set(file, fresh)
  return fresh
}

function messageOf(error: Error & { readonly exitCode?: number | null; readonly signal?: string | null }): string {
  // Of a whole file: its tests have passed, and its process has not ended well.
  if (error.exitCode !== undefined) return `  The process ended with ${error.signal ?? `code ${error.exitCode}`}.`
  const cause = error.cause instanceof Error ? error.cause : error
  return (cause.stack ?? cause.message)
    .split('\n')
    .slice(0, 25)
    .map((line) => `  ${line}`)
    .join('\n')
}
