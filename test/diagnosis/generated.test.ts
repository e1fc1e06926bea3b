// Three hundred drawn programs with one fault each: no sentence about a line may be false, and the first names the fault.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findOrigins } from '../../src/origins/find-origins.ts'
import { ProjectSources } from '../../src/origins/project-sources.ts'
import type { Work } from '../../src/errors/error-view.ts'
import { SourceFiles } from '../../src/errors/source-files.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { makeChain, makeError, makeFrame } from '../support/error-view.ts'
import { makeTemporaryDirectory, type WithAfter } from '../support/temporary-directory.ts'
import { wrongClaim } from './claims.ts'
import { drawProgram, type Program } from './programs.ts'

const count = 300

describe('the places to change in drawn programs', () => {
  it(`say nothing false of ${count}, and name the fault first`, (test) => {
    const wrong = Array.from({ length: count }, (_, seed) => faultsOf(test, seed)).flat()
    assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} sentences`)
  })
})

/** What is wrong with the answer to one program. */
function faultsOf(test: WithAfter, seed: number): string[] {
  const program = drawProgram(seed)
  const candidates = candidatesOf(makeTemporaryDirectory(test), program)
  const said = candidates.map(({ file, line, why }) => `${file}:${line} – ${why}`)
  const wrong = candidates.flatMap(({ file, line, why }) => {
    const { text, is } = program.files.get(file)?.[line - 1] ?? { text: '', is: undefined }
    const reason = wrongClaim(why, { text, is, message: program.message, result: program.result })
    return reason === null ? [] : [`${seed}: ${program.name}: ${file}:${line} – ${why}: ${reason}: ${text.trim()}`]
  })
  return program.first.test(candidates[0]?.why ?? '')
    ? wrong
    : [...wrong, `${seed}: ${program.name}: ${said.join(' | ')}`]
}

function candidatesOf(folder: string, program: Program): ReturnType<typeof findOrigins>['candidates'] {
  for (const [path, lines] of program.files)
    writeFileSync(join(folder, path), `${lines.map(({ text }) => text).join('\n')}\n`)
  const placeOf = (wanted: string): { readonly file: string; readonly line: number; readonly column: number } => {
    for (const [file, lines] of program.files) {
      const at = lines.findIndex(({ is }) => is === wanted)
      if (at >= 0) return { file, line: at + 1, column: columnOf(lines[at]?.text ?? '', program.message) }
    }
    throw new Error(`no line is ${wanted}`)
  }
  const frames = program.trace.map((is) => makeFrame({ ...placeOf(is), origin: 'own', excerpt: null }))
  const query = program.result === null ? null : placeOf('query')
  const work: Work[] =
    query === null
      ? []
      : [
          {
            name: 'SELECT items',
            detail: null,
            category: 'store',
            startMs: 1,
            durationMs: 1,
            isFailed: program.result?.startsWith('error') === true,
            callSite: `${query.file}:${query.line}`,
            result: program.result,
            begun: null,
          },
        ]
  return findOrigins(makeChain(makeError({ className: 'Error', message: program.message, frames })), {
    sources: new ProjectSources(new SourceFiles(folder)),
    redactor: new Redactor(),
    env: program.env,
    hasTime: () => true,
    hasTimeToRead: () => true,
    work,
    nearRoutes: () => [],
    route: undefined,
    request: undefined,
  }).candidates
}

/** Where V8 says a line fails: at the property that the message names, else at the last name that is called. */
function columnOf(text: string, message: string): number {
  const read = /reading '(\w+)'/.exec(message)?.[1]
  const named = read === undefined ? -1 : text.indexOf(`.${read}`)
  if (named >= 0) return named + 2
  const called = /\b(?:new URL|query|execute|prepare|find|await)\b/.exec(text)
  return (called?.index ?? 0) + 1
}
