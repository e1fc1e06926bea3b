// Rows of the SQLite file: the columns of a profile, what a search looks at, and what it counts.

import { isRecord } from '../../framework/options/check-options.ts'
import { searchTextOf } from '../../profiler/query/search-text.ts'
import type { ProfileSummary } from '../../profiler/profile.ts'
import { textOf, toColumns, type EncodedProfile, type ProfileColumns } from '../thread/profile-columns.ts'

export interface ProfileRow extends ProfileColumns {
  /** What a search looks at beside the URL; empty for nothing. */
  readonly searchText: string
  /** What the profile counts towards the bound of the store: body, columns and its part of the indices. */
  readonly bytes: number
}

/** Bytes of the short columns, the indices and the row headers of one profile. */
const overhead = 340

/** The row of a profile. Throws `ProfileRefusedError` for a malformed token or summary. */
export function toRow(encoded: EncodedProfile): ProfileRow {
  const row = toColumns(encoded)
  const profile = isRecord(encoded.profile) ? encoded.profile : {}
  const lengthOf = (property: keyof ProfileSummary): number => textOf(profile[property])?.length ?? 0
  const inIndices = 2 * (lengthOf('traceId') + lengthOf('version') + lengthOf('service'))
  const data = profile['data']
  const searchText = isRecord(data) ? searchTextOf({ data }) : ''
  const inColumns = lengthOf('url') + lengthOf('errorFamily') + lengthOf('errorMessage')
  const bytes = row.body.byteLength + Buffer.byteLength(searchText) + inColumns + inIndices + overhead
  return { ...row, searchText, bytes }
}
