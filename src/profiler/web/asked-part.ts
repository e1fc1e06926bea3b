// Reads which part of a profile an address asks for. Whether there is such a part is for others to say.

import { parseQuery } from '../../framework/http/query.ts'
import { unknownNames } from './query-values.ts'

/** The one type of profile that there is (SPEC 5.1). */
export const profileType = 'request'

/** What an address asks of a profile. */
export interface AskedPart {
  /** Name of a panel; `undefined` where none is named. */
  readonly panel: string | undefined
  readonly type: string
  /** Why the address cannot be meant: a name that looks like one of these two. `null` where it can. */
  readonly problem: string | null
  /** What it says besides and means nothing, one sentence each. */
  readonly ignored: readonly string[]
}

/** Reads the raw query. Of a name that is there twice the first counts. */
export function readAskedPart(rawQuery: string): AskedPart {
  const query = parseQuery(rawQuery)
  const { misspelt, foreign } = unknownNames(query, ['panel', 'type'])
  return {
    panel: query.get('panel')?.[0],
    type: query.get('type')?.[0] ?? profileType,
    problem: misspelt[0] ?? null,
    ignored: foreign,
  }
}
