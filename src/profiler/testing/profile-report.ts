// A profile in a few lines of text, for the message of a failed test: what was asked, what it spent, what stands out.

import type { Profile } from '../profile.ts'
import { notesOf, readPart } from '../stored-data.ts'
import { budgetNames, figureOf, type BudgetCheck } from './budgets.ts'

const maxRepeats = 5
const maxSpans = 5
const maxTextLength = 160

/** The report; `checks` are the budgets that were asked for. */
export function profileReport(profile: Profile, checks: readonly BudgetCheck[]): string {
  const sections = [verdict(profile), figures(profile, checks), repeats(profile), spans(profile), notes(profile)]
  return [...sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n')), link(profile)].join('\n\n')
}

function verdict({ method, url, status, durationMs, route, errorClass }: Profile): string[] {
  const answer = status === 0 ? 'no answer' : String(status)
  const facts = [
    route === null ? 'no route' : `route ${route}`,
    ...(errorClass === null ? [] : [`thrown ${errorClass}`]),
  ]
  return [oneLine(`${method} ${url}`), `${answer} in ${milliseconds(durationMs)}, ${oneLine(facts.join(', '))}`]
}

function figures(profile: Profile, checks: readonly BudgetCheck[]): string[] {
  const rows = budgetNames.map((name) => {
    const check = checks.find((one) => one.name === name)
    const actual = figureOf(profile, name)
    const spent = actual === null ? '–' : numberText(actual)
    if (check === undefined) return [name, spent, '', ''] as const
    return [name, spent, `at most ${check.allowed}`, check.actual > check.allowed ? '← over' : ''] as const
  })
  return rows.map(([name, spent, allowed, mark]) =>
    `  ${name.padEnd(10)} ${spent.padStart(8)}  ${allowed.padEnd(14)} ${mark}`.trimEnd(),
  )
}

function repeats(profile: Profile): string[] {
  const part = readPart(profile, 'database')
  if (part.state !== 'there' || part.data.findings.length === 0) return []
  const { findings, groups } = part.data
  const lines = findings.slice(0, maxRepeats).map(({ kind, count, totalMs, group, callSite }) => {
    const text = oneLine(groups[group]?.text ?? 'unknown statement')
    return `  ${count}× ${kind} (${milliseconds(totalMs)}) ${text}${callSite === null ? '' : ` at ${callSite}`}`
  })
  return ['Repeated statements', ...lines, ...rest(findings.length - maxRepeats)]
}

function spans(profile: Profile): string[] {
  const part = readPart(profile, 'time')
  if (part.state !== 'there') return []
  const ended = part.data.spans.flatMap(({ name, durationMs }) => (durationMs === null ? [] : [{ name, durationMs }]))
  const longest = ended.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, maxSpans)
  if (longest.length === 0) return []
  return [
    'Longest spans',
    ...longest.map(({ name, durationMs }) => `  ${milliseconds(durationMs).padStart(10)}  ${oneLine(name)}`),
    ...rest(ended.length - maxSpans),
  ]
}

function notes(profile: Profile): string[] {
  return notesOf(profile)
    .slice(0, maxRepeats)
    .map(({ source, message }) => oneLine(`Note: ${source} ${message}`))
}

/** The address that the answer named, on the host that was asked; else the token alone. */
function link(profile: Profile): string {
  const part = readPart(profile, 'request')
  const field =
    part.state === 'there' ? part.data.responseHeaders.find(([name]) => name === 'x-debug-token-link') : undefined
  const address = field === undefined ? null : URL.parse(field[1], profile.url)
  return `Profile: ${address === null ? profile.token : address.href}`
}

function rest(count: number): string[] {
  return count > 0 ? [`  and ${count} more`] : []
}

/** Without controls, which a terminal would obey, and short. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return line.length <= maxTextLength ? line : `${line.slice(0, maxTextLength).toWellFormed()}…`
}

function milliseconds(ms: number): string {
  return `${numberText(ms)} ms`
}

function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2)
}
