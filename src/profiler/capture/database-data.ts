// Makes the data of the collector `database` from the packed statements of a request: masks, groups and finds repeats. Runs in
// whatever thread the profile is made in.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { knownFigure, notKnown } from './known-figure.ts'
import { findRepeats, steers } from './repeats.ts'
import type { StatementFacts } from './statement-kind.ts'
import type { StatementData } from './statement.ts'
import { figureAt, headFigures, statementFigures, type PackedStatements } from './statement-list.ts'
import type { StatementText } from './statement-text.ts'
import type { DatabaseData, StatementGroup } from './statements.ts'

interface Group {
  readonly facts: StatementFacts
  isOneText: boolean
  count: number
  totalMs: number
}

/** Plain, masked data. */
export function databaseData({ figures, more }: PackedStatements, redactor: Pick<Redactor, 'text'>): DatabaseData {
  const [dropped = 0, requestMs = 0] = figures
  const [{ facts: allFacts, callSites }, allKeys, errors] = more
  const indexes = new Map<string, number>()
  const groups: Group[] = []
  const statements: StatementData[] = []
  const keys: (string | null)[] = []
  for (let at = headFigures, keyAt = 0; at < figures.length; at += statementFigures) {
    const facts = allFacts[figures[at + figureAt.facts] ?? 0] ?? noFacts
    const durationMs = knownFigure(figures[at + figureAt.duration])
    const keyLength = knownFigure(figures[at + figureAt.keyLength])
    const key = keyLength === null ? null : allKeys.slice(keyAt, keyAt + keyLength)
    keyAt += keyLength ?? 0
    const error = errors?.[figures[at + figureAt.error] ?? notKnown] ?? null
    const name = [facts.system, facts.library, facts.namespace ?? '', facts.text.shape].join('\0')
    const group = indexes.get(name) ?? groups.push({ facts, isOneText: true, count: 0, totalMs: 0 }) - 1
    indexes.set(name, group)
    add(groups[group], facts.text, durationMs)
    statements.push({
      group,
      startMs: figures[at + figureAt.start] ?? 0,
      durationMs,
      rows: knownFigure(figures[at + figureAt.rows]),
      error: error === null ? null : redactor.text(error, 1000),
      callSite: callSites[figures[at + figureAt.callSite] ?? notKnown] ?? null,
    })
    keys.push(facts.key === null || key === null ? null : `${facts.key} ${key}`)
  }
  const shown = groups.map((group) => toGroup(group, redactor))
  const findings = findRepeats(
    statements.map(({ group, durationMs, callSite }, index) => ({
      group,
      durationMs,
      callSite,
      key: keys[index] ?? null,
    })),
    (group) => shown[group]?.system !== 'redis' && steers(shown[group]?.text ?? ''),
  )
  return { statements, groups: shown, findings, dropped, durationMs: requestMs }
}

const noFacts: StatementFacts = { system: '', library: '', namespace: null, text: { text: '', shape: '' }, key: null }

function add(group: Group | undefined, text: StatementText, durationMs: number | null): void {
  if (group === undefined) return
  group.count += 1
  group.totalMs += durationMs ?? 0
  if (text.text !== group.facts.text.text) group.isOneText = false
}

function toGroup({ facts, isOneText, count, totalMs }: Group, redactor: Pick<Redactor, 'text'>): StatementGroup {
  const { system, library, namespace, text } = facts
  return { system, library, namespace, text: redactor.text(isOneText ? text.text : text.shape), count, totalMs }
}
