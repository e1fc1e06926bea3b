// What libraries did, in a profile: each part is one file in `activities/` and a line here. GraphQL has a form of its own.

import { counted } from '../base/html/components.ts'
import type { Activities, ActivityKind, MaskTools } from '../observe/activities/activity.ts'
import { keptNote, type DescribedPart } from '../observe/blocks/described-part.ts'
import { cutList } from '../observe/profile-parts.ts'
import type { BuiltInCollector } from '../observe/request-record.ts'
import { access } from './activities/access.ts'
import { ai } from './activities/ai.ts'
import { cache } from './activities/cache.ts'
import { connections } from './activities/connections.ts'
import { jobs } from './activities/jobs.ts'
import { mail } from './activities/mail.ts'
import { templates } from './activities/templates.ts'
import { validation } from './activities/validation.ts'
import { graphqlCollector, graphqlPart } from './graphql-part.ts'

/** Each gets only what belongs to it. */
const kinds: readonly ActivityKind<object>[] = [access, cache, connections, templates, mail, jobs, validation, ai]

/** What their panels say, in the order of the menu. */
export const libraryParts: readonly DescribedPart[] = [graphqlPart, ...kinds.map(activityPart)]

/** What gathers their data, in the order of a profile. */
export function libraryCollectors(tools: MaskTools): readonly BuiltInCollector[] {
  return [graphqlCollector(tools.redactor), ...kinds.map((kind) => activityCollector(kind, tools))]
}

/** Nothing if there were none, and nothing is known beside them. */
export function activityCollector<Facts extends object, Data extends Activities<Facts>>(
  kind: ActivityKind<Facts, Data>,
  tools: MaskTools,
): BuiltInCollector<Data> {
  return {
    name: kind.name,
    collect: ({ parts: { activities, client } }) => {
      // `begin` puts into each list only what belongs to its kind.
      const recorded = activities?.[kind.name] as Activities<Facts> | undefined
      const beside = kind.beside?.(client)
      if (recorded === undefined && Object.values(beside ?? {}).every((value) => value === null)) return undefined
      const entries = recorded?.entries.map((entry) => Object.assign({ ...entry }, kind.mask?.(entry, tools))) ?? []
      return { ...beside, entries, dropped: recorded?.dropped ?? 0 } as unknown as Data
    },
    cut: (data, maxBytes) => {
      const { entries, dropped } = data
      const kept = cutList(kind.shrink?.(entries, maxBytes) ?? entries, maxBytes, ({ error }) => error !== null)
      return { ...data, entries: kept, dropped: dropped + entries.length - kept.length }
    },
  }
}

export function activityPart<Facts extends object, Data extends Activities<Facts>>(
  kind: ActivityKind<Facts, Data>,
): DescribedPart<Data> {
  const {
    noun: [one, many],
    flag: { word, tone, is } = { word: 'failed', tone: 'error', is: ({ error }) => error !== null },
  } = kind
  return {
    name: kind.name,
    title: kind.title,
    of: kind.of,
    hidesWhenEmpty: true,
    noun: one,
    empty: kind.empty,
    badge: ({ entries, dropped }) => {
      if (entries.length === 0) return undefined
      const flagged = entries.filter(is).length
      const count = entries.reduce((sum, entry) => sum + (kind.count?.(entry) ?? 1), dropped)
      const all = [kind.remark?.(entries) ?? [], counted(count, one, many)].flat().join(', ')
      if (flagged > 0) return { count: flagged, tone, hint: `${flagged} ${word} of ${all}` }
      return { count, tone: 'neutral', hint: all }
    },
    draw: (data) => [keptNote(data.entries.length, data.dropped, many), ...kind.draw(data)],
  }
}
