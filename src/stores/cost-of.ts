// What a profile cost beside its time, as far as a store counts it: of whole groups of profiles, without reading each of them.

import type { Profile } from '../profiler/profile.ts'

/** What groups are told besides how long their profiles took. */
export interface ProfileCost {
  /** Milliseconds for which own code ran; `null` where that was not measured. */
  readonly ownCpuMs: number | null
  /** Statements sent to databases and caches; `null` where that is not known. */
  readonly queryCount: number | null
}

/** Data comes from collectors of any kind: what is not of their form counts as not known. */
export function costOf({ data }: Pick<Profile, 'data'>): ProfileCost {
  return { ownCpuMs: ownCpuOf(data['time']), queryCount: queriesOf(data['database']) }
}

function ownCpuOf(time: unknown): number | null {
  if (typeof time !== 'object' || time === null || !('ownCpuMs' in time)) return null
  const { ownCpuMs } = time
  return typeof ownCpuMs === 'number' && ownCpuMs >= 0 ? ownCpuMs : null
}

/** Without statements there is no part of the profile that names them. */
function queriesOf(database: unknown): number | null {
  if (database === undefined) return 0
  if (typeof database !== 'object' || database === null || !('statements' in database)) return null
  const dropped = 'dropped' in database && typeof database.dropped === 'number' ? database.dropped : 0
  return Array.isArray(database.statements) ? database.statements.length + dropped : null
}
