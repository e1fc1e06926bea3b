// What the thread of a store imports to make profiles there: the profiler's assembling, and what the capture of calls and
// statements packs.

import { databaseData } from './capture/database-data.ts'
import { httpClientData } from './capture/http-client-data.ts'
import type { PackedCalls } from './capture/packed-calls.ts'
import type { PackedStatements } from './capture/statement-list.ts'
import type { AssembledProfile } from './assembling-store.ts'
import { createFactsAssembler, type FactsAssemblyOptions } from './assemble-from-facts.ts'
import type { FlatFacts } from './facts/request-facts.ts'
import type { Revivers } from './request-record.ts'

/** Makes what makes profiles, each when it is taken. */
export function createAssembler(
  options: FactsAssemblyOptions,
): (facts: FlatFacts) => IterableIterator<AssembledProfile> {
  return createFactsAssembler(options, revivers)
}

// Only the capture keeps something under these names, and packed it a moment ago.
const revivers: Revivers = {
  database: (facts, redactor) => ({ toData: () => databaseData(facts as PackedStatements, redactor) }),
  'http-client': (facts, redactor) => ({ toData: () => httpClientData(facts as PackedCalls, redactor) }),
}
