// All that can be gathered from profiles.

import type { Gatherer } from './gatherer.ts'
import { QueriesGatherer, type FoundQueries, type QueriesAsked } from './queries.ts'

/** What can be asked for, and what is found, by name. */
interface Gatherings {
  readonly queries: { readonly asked: QueriesAsked; readonly found: FoundQueries }
}

type Name = keyof Gatherings
export type GatheringAsked = { [Of in Name]: { readonly of: Of } & Gatherings[Of]['asked'] }[Name]
export type GatheringFound<Asked extends GatheringAsked> = Gatherings[Asked['of']]['found']

const gatherers: { readonly [Of in Name]: (asked: Gatherings[Of]['asked']) => Gatherer<Gatherings[Of]['found']> } = {
  queries: (asked) => new QueriesGatherer(asked),
}

export function gathererOf<Asked extends GatheringAsked>(asked: Asked): Gatherer<GatheringFound<Asked>> {
  return gatherers[asked.of](asked)
}
