// Makes profiles in another thread than the one that served the requests: from their facts, with the built-in collectors and
// the same rules of masking.

import { Redactor } from '../redact/redactor.ts'
import type { Note } from '../recording/recording.ts'
import type { RedactionRules } from '../redact/rules.ts'
import { summarize, toAssembled } from './assemble-profile.ts'
import type { AssembledProfile } from './assembling-store.ts'
import { gatherAside, type NamedCutter, type Part } from './collect-data.ts'
import { createRecordCollectors, type RecordCollectorFacts } from './collectors/built-in.ts'
import { unpackRecord, type RequestFacts } from './request-facts.ts'
import type { RecordCollector, Revivers } from './request-record.ts'

/** What assembling needs to know once: plain data that can be copied to another thread. */
export interface FactsAssemblyOptions extends RecordCollectorFacts {
  readonly rules: RedactionRules
  /** Names of all collectors, in the order of a profile. */
  readonly order: readonly string[]
}

/** Makes what makes profiles from facts. `revivers` make again what listeners kept and packed. */
export function createFactsAssembler(
  options: FactsAssemblyOptions,
  revivers: Revivers = {},
): (facts: RequestFacts) => AssembledProfile {
  const redactor = new Redactor(options.rules)
  const collectors = createRecordCollectors(redactor, options)
  const portable = collectors.filter(({ reads }) => reads !== undefined)
  const cutters = new Map<string, NamedCutter>(collectors.map((collector) => [collector.name, collector]))
  const order = new Map(options.order.map((name, index) => [name, index]))
  const byOrder = (one: Part, other: Part): number => placeOf(order, one) - placeOf(order, other)
  const constants = new Map<RecordCollector, Part>()
  return (facts) => {
    const record = unpackRecord(facts, (name, kept) =>
      kept === undefined || !Object.hasOwn(revivers, name) ? kept : revivers[name]?.(kept, redactor),
    )
    const parts: Part[] = []
    const gatheredThere = new Set<string>()
    for (const [name, text] of facts.texts) parts.push(textPart(cutters.get(name) ?? { name }, text))
    for (const [name, data] of facts.data) {
      gatheredThere.add(name)
      parts.push({ collector: cutters.get(name) ?? { name }, data })
    }
    const isInOrder = parts.length === 0
    const notes: Note[] = []
    for (const collector of portable) {
      if (gatheredThere.has(collector.name)) continue
      const part = constants.get(collector) ?? gatherAside(collector, record, redactor, notes)
      if (part === undefined) continue
      if (collector.isConstant === true) constants.set(collector, part)
      parts.push(part)
    }
    if (!isInOrder) parts.sort(byOrder)
    const summary = summarize(record, record.recording, redactor)
    return toAssembled(summary, { parts, notes }, [...facts.ownNotes, ...facts.notes])
  }
}

function textPart(collector: NamedCutter, text: string): Part {
  return {
    collector,
    get data(): unknown {
      return JSON.parse(text) as unknown
    },
    text,
  }
}

function placeOf(order: ReadonlyMap<string, number>, { collector }: Part): number {
  return order.get(collector.name) ?? order.size
}
