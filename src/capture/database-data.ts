// Makes the data of the collector `database` from the packed statements of a request: masks, groups and finds repeats. Runs in
// whatever thread the profile is made in.

import type { Redactor } from '../redact/redactor.ts'
import { findRepeats, steers } from './repeats.ts'
import type { PackedStatement, StatementData } from './statement.ts'
import type { StatementText } from './statement-text.ts'
import type { DatabaseData, PackedStatements, StatementGroup } from './statements.ts'

/** Values that stand for one statement. */
const width = 10

interface Group {
  readonly first: PackedStatement
  readonly text: StatementText
  isOneText: boolean
  count: number
  totalMs: number
}

/** The values of one statement. Their list is flat for the way between threads, where types do not tell one place from another. */
function rowAt({ statements }: PackedStatements, at: number): PackedStatement {
  return statements.slice(at, at + width) as readonly unknown[] as PackedStatement
}

/** Plain, masked data. */
export function databaseData(packed: PackedStatements, redactor: Pick<Redactor, 'text'>): DatabaseData {
  const indexes = new Map<string, number>()
  const groups: Group[] = []
  const statements: StatementData[] = []
  const keys: (string | null)[] = []
  for (let at = 0; at < packed.statements.length; at += width) {
    const row = rowAt(packed, at)
    const [system, library, namespace, place, key, startMs, durationMs, rows, error, callSite] = row
    const text = packed.texts[place] ?? noText
    const name = [system, library, namespace ?? '', text.shape].join('\0')
    const group = indexes.get(name) ?? groups.push({ first: row, text, isOneText: true, count: 0, totalMs: 0 }) - 1
    indexes.set(name, group)
    add(groups[group], text, durationMs)
    statements.push({
      group,
      startMs,
      durationMs,
      rows,
      error: error === null ? null : redactor.text(error, 1000),
      callSite,
    })
    keys.push(key)
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
  return { statements, groups: shown, findings, dropped: packed.dropped, durationMs: packed.durationMs }
}

const noText: StatementText = { text: '', shape: '' }

function add(group: Group | undefined, text: StatementText, durationMs: number | null): void {
  if (group === undefined) return
  group.count += 1
  group.totalMs += durationMs ?? 0
  if (text.text !== group.text.text) group.isOneText = false
}

function toGroup({ first, text, isOneText, count, totalMs }: Group, redactor: Pick<Redactor, 'text'>): StatementGroup {
  const [system, library, namespace] = first
  return { system, library, namespace, text: redactor.text(isOneText ? text.text : text.shape), count, totalMs }
}
