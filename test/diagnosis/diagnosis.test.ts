// Small broken applications, each with one fault of a kind that happens in real servers: whoever reads the page, and
// nothing else, must be able to name the cause.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/framework/config/runtime-context.ts'
import { createApp, RouteCollection } from '../../src/index.ts'
import { LineList } from '../support/exchange.ts'
import { pageText } from '../support/page-text.ts'
import { answerCases } from './answer-cases.ts'
import type { Case } from './case.ts'
import { codeCases } from './code-cases.ts'
import { outsideCases } from './outside-cases.ts'

const files: readonly (readonly [file: string, cases: readonly Case[]])[] = [
  ['code-cases.ts', codeCases],
  ['answer-cases.ts', answerCases],
  ['outside-cases.ts', outsideCases],
]

describe('the error page names the cause', () => {
  for (const [file, cases] of files) {
    for (const one of cases) it(one.cause, () => diagnose(file, one))
  }

  it('of at least forty faults', () => {
    assert.ok(files.flatMap(([, cases]) => cases).length >= 40)
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
  if (one.line !== null) assertPlace(page, file, one.line)
  if (one.hint === undefined) return
  const advice = hintTitles(page)
  const isThere = advice.some((title) =>
    typeof one.hint === 'string' ? title.includes(one.hint) : one.hint?.test(title),
  )
  assert.ok(isThere, `no hint says ${one.hint}: ${advice.join(' | ')}`)
}

/** The page names the line of own code above its source, and has that line marked and unfolded. */
function assertPlace(page: string, file: string, source: string): void {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n')
  const numbers = lines.flatMap((line, index) => (line.includes(source) ? [index + 1] : []))
  assert.ok(numbers.length > 0, `${file} has no line with ${source}`)
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
  const step = /<section class="step"[\s\S]*|<details class="step"[^>]* open>[\s\S]*/.exec(page)?.[0] ?? ''
  const lead = step.indexOf('<div class="lead">')
  assert.ok(lead >= 0 && !/<details(?![^>]* open>)/.test(step.slice(0, lead)), step.slice(0, 500))
  return step
}

function hintTitles(page: string): string[] {
  return [...page.matchAll(/<p class="hint-title">([\s\S]*?)<\/p>/g)].map(([, title]) => pageText(title ?? ''))
}

function sameText(line: string, shown: string): boolean {
  return line.replaceAll(/\s+/g, ' ').trim() === shown
}

async function pageOf({ routes: addRoutes, request = {} }: Case): Promise<string> {
  const routes = new RouteCollection()
  addRoutes(routes)
  const { context } = loadRuntimeContext({
    cwd: import.meta.dirname,
    env: { APP_ENV: 'dev', APP_STORE: 'memory:' },
  })
  const app = await createApp({ routes, context, log: new LineList() })
  try {
    const headers = { accept: 'text/html', ...(request.headers as Readonly<Record<string, string>> | undefined) }
    return (await app.inject({ ...request, headers })).body
  } finally {
    await app.close()
  }
}
