// Makes profiles in another thread than the one that served the requests: from their facts, with the built-in collectors and
// the same rules of masking.

import { Redactor } from '../framework/redact/redactor.ts'
import type { Note } from '../framework/recording/recording.ts'
import type { RedactionRules } from '../framework/redact/rules.ts'
import { toAssembled } from './assemble-profile.ts'
import type { AssembledProfile } from './assembling-store.ts'
import { gatherAside, type NamedCutter, type Part } from './collect-data.ts'
import { createRecordCollectors, type RecordCollectorFacts } from './collectors/built-in.ts'
import { FactsReader } from './facts/facts-reader.ts'
import type { FlatFacts, RequestFacts } from './facts/request-facts.ts'
import { ProfileRefusedError } from './profile-store.ts'
import type { RecordCollector, Revivers } from './request-record.ts'
import { summarize } from './summarize.ts'

/** What assembling needs to know once: plain data that can be copied to another thread. */
export interface FactsAssemblyOptions extends RecordCollectorFacts {
  readonly rules: RedactionRules
  /** Requests at least this long are slow, in milliseconds; `null`: none is. */
  readonly slowMs: number | null
  /** Names of all collectors, in the order of a profile. */
  readonly order: readonly string[]
}

/**
 * Makes what makes profiles from facts, each when it is taken. Taking throws `ProfileRefusedError` for a request of which no
 * profile can be made. `revivers` make again what listeners kept and packed.
 */
export function createFactsAssembler(
  options: FactsAssemblyOptions,
  revivers: Revivers = {},
): (facts: FlatFacts) => IterableIterator<AssembledProfile> {
  const redactor = new Redactor(options.rules)
  const collectors = createRecordCollectors(redactor, options)
  const portable = collectors.filter(({ reads }) => reads !== undefined)
  const cutters = new Map<string, NamedCutter>(collectors.map((collector) => [collector.name, collector]))
  const order = new Map(options.order.map((name, index) => [name, index]))
  const byOrder = (one: Part, other: Part): number => placeOf(order, one) - placeOf(order, other)
  const constants = new Map<RecordCollector, Part>()
  const revive = (name: string, kept: unknown): unknown =>
    kept === undefined || !Object.hasOwn(revivers, name) ? kept : revivers[name]?.(kept, redactor)
  const assemble = (facts: RequestFacts): AssembledProfile => {
    const { record } = facts
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
    const summary = summarize(record, record.recording, parts, { redactor, slowMs: options.slowMs })
    return toAssembled(summary, { parts, notes }, [...record.recording.notes, ...facts.notes])
  }
  return function* (facts) {
    const reader = new FactsReader(facts, revive)
    for (let one = reader.next(); one !== undefined; one = reader.next()) {
      let made: AssembledProfile
      try {
        made = assemble(one)
      } catch (cause) {
        throw new ProfileRefusedError([one.record.recording.token], 'no profile can be made of it', { cause })
      }
      yield made
    }
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
