// Small broken applications, each with one fault of a kind that happens in real servers: anyone who reads the page, and
// nothing else, must be able to name the cause.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { createApp, RouteCollection } from '../../src/index.ts'
import { LineList } from '../support/exchange.ts'
import { pageText } from '../support/page-text.ts'
import type { Case, ElsewherePlace } from './case.ts'
import { async } from './cases/async.ts'
import { builtIns } from './cases/built-ins.ts'
import { database } from './cases/database.ts'
import { edges } from './cases/edges.ts'
import { elsewhere } from './cases/elsewhere.ts'
import { replies } from './cases/replies.ts'
import { thrown } from './cases/thrown.ts'
import { values } from './cases/values.ts'
import { searchWithoutClock } from '../support/search-without-clock.ts'

const files: readonly (readonly [file: string, cases: readonly Case[]])[] = [
  ['cases/async.ts', async],
  ['cases/built-ins.ts', builtIns],
  ['cases/database.ts', database],
  ['cases/edges.ts', edges],
  ['cases/elsewhere.ts', elsewhere],
  ['cases/replies.ts', replies],
  ['cases/thrown.ts', thrown],
  ['cases/values.ts', values],
]

before(searchWithoutClock)

describe('the error page names the cause and the place', () => {
  for (const [file, cases] of files) {
    for (const one of cases) it(one.cause, { skip: one.skip ?? false }, () => diagnose(file, one))
  }

  it('of at least ninety faults', () => {
    const count = files.flatMap(([, cases]) => cases).length
    assert.ok(count >= 90, String(count))
  })
})

async function diagnose(file: string, one: Case): Promise<void> {
  const page = await pageOf(one)
  const text = pageText(page)
  assert.ok(text.includes(`Error ${one.status ?? 500} `), text.slice(0, 300))
  for (const part of one.says) {
    assert.ok(
      typeof part === 'string' ? text.includes(part) : part.test(text),
      `the page does not say ${part}: ${text}`,
    )
  }
  const place = typeof one.place === 'string' ? { file, source: one.place } : one.place
  assertNamed(text, place)
  if (one.marked !== null) assertMarked(page, one.marked === undefined ? place : { file, source: one.marked })
  if (one.hint === undefined) return
  const advice = hintTitles(page)
  const isThere = advice.some((title) =>
    typeof one.hint === 'string' ? title.includes(one.hint) : one.hint?.test(title),
  )
  assert.ok(isThere, `no hint says ${one.hint}: ${advice.join(' | ')}`)
}

/** The numbers of the lines of the fault, without those of the case that quote them. */
function numbersOf({ file, source }: ElsewherePlace): readonly number[] {
  const lines = linesOf(file)
  const numbers = lines.flatMap((line, index) =>
    line.includes(source) && !/^\s*(?:place|marked): /.test(line) ? [index + 1] : [],
  )
  assert.ok(numbers.length > 0, `${file} has no line with ${source}`)
  return numbers
}

function linesOf(file: string): readonly string[] {
  return readFileSync(new URL(file, import.meta.url), 'utf8').split('\n')
}

/** The text of the page names the line to change. */
function assertNamed(text: string, place: ElsewherePlace): void {
  const numbers = numbersOf(place)
  const named = new RegExp(`test/diagnosis/${place.file}:(?:${numbers.join('|')})(?!\\d)`)
  assert.match(text, named)
}

/** The page names the line of own code above its source, and has that line marked and unfolded. */
function assertMarked(page: string, { file, source }: ElsewherePlace): void {
  const lines = linesOf(file)
  const numbers = numbersOf({ file, source })
  const open = unfoldedStep(page)
  const place = new RegExp(`test/diagnosis/${file}:(?:${numbers.join('|')}):`)
  assert.match(pageText(/<div class="lead">[\s\S]*?<\/p>/.exec(open)?.[0] ?? ''), place)
  const marked = pageText(/<li class="at">[\s\S]*?<\/li>/.exec(open)?.[0] ?? '')
  assert.ok(
    lines.some((line, index) => numbers.includes(index + 1) && sameText(line, marked)),
    `marked is ${marked}`,
  )
}

/** The page from the step on that is in sight: the only one, or the one of several that is open. Nothing folded is before its source. */
function unfoldedStep(page: string): string {
  const step = /<section class="step"[\s\S]*|<details class="step"[^>]* open="true">[\s\S]*/.exec(page)?.[0] ?? ''
  const lead = step.indexOf('<div class="lead">')
  assert.ok(lead >= 0 && !/<details(?![^>]* open=)/.test(step.slice(0, lead)), step.slice(0, 500))
  return step
}

function hintTitles(page: string): string[] {
  return [...page.matchAll(/<p class="hint-title">([\s\S]*?)<\/p>/g)].map(([, title]) => pageText(title ?? ''))
}

function sameText(line: string, shown: string): boolean {
  return line.replaceAll(/\s+/g, ' ').trim() === shown
}

async function pageOf({ routes: addRoutes, request = {}, env = {} }: Case): Promise<string> {
  const routes = new RouteCollection()
  addRoutes(routes)
  const { context } = loadRuntimeContext({
    cwd: import.meta.dirname,
    env: { APP_ENV: 'dev', APP_STORE: 'memory:', ...env },
  })
  const app = await createApp({ routes, context, log: new LineList() })
  try {
    const headers = { accept: 'text/html', ...(request.headers as Readonly<Record<string, string>> | undefined) }
    return (await app.inject({ ...request, headers })).body
  } finally {
    await app.close()
  }
}
