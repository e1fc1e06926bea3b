// All that can be gathered from profiles.

import type { Gatherer } from './gatherer.ts'
import { LinesGatherer, type FoundLines, type LinesAsked } from './lines.ts'
import { QueriesGatherer, type FoundQueries, type QueriesAsked } from './queries.ts'

export type GatheringAsked = ({ readonly of: 'lines' } & LinesAsked) | ({ readonly of: 'queries' } & QueriesAsked)
export type GatheringFound<Asked extends GatheringAsked> = Asked extends { readonly of: 'lines' }
  ? FoundLines
  : FoundQueries

export function gathererOf<Asked extends GatheringAsked>(asked: Asked): Gatherer<GatheringFound<Asked>> {
  const wanted: GatheringAsked = asked
  const gatherer = wanted.of === 'lines' ? new LinesGatherer(wanted) : new QueriesGatherer(wanted)
  // `of` says what is found.
  return gatherer as Gatherer<object> as Gatherer<GatheringFound<Asked>>
}
