// Parameters that several addresses have.

import { filterNames, filters } from '../../query/filters.ts'
import { profileOrders } from '../../profile-store.ts'
import type { Parameter } from './operation.ts'
import { text, type JsonSchema } from './schema.ts'

export function parameter(name: string, description: string, schema: JsonSchema = text): Parameter {
  return { name, description, schema }
}

/** All filters, as every list, group and comparison of runs takes them. */
export const filterParameters: readonly Parameter[] = filterNames.map((name) =>
  parameter(name, `${filters[name].label}: ${filters[name].use}.`),
)

export const listParameters: readonly Parameter[] = [
  ...filterParameters,
  parameter('sort', 'All but newest sort the newest 10,000 profiles.', { enum: profileOrders, default: 'newest' }),
  parameter('limit', 'Profiles of a page.', { type: 'integer', minimum: 1, maximum: 200, default: 25 }),
  parameter('after', 'The page after this cursor: `next` of the page before.'),
]

const tokenSchema: JsonSchema = { type: 'string', pattern: '^(?:[0-9a-z]{10,16}|latest)$' }

export const tokenParameter: Parameter = {
  ...parameter('token', 'Token of the profile, or latest.', tokenSchema),
  isRequired: true,
}

export const pathToken: Parameter = {
  ...parameter('token', 'Token of the profile.', { type: 'string', pattern: '^[0-9a-z]{10,16}$' }),
  in: 'path',
  isRequired: true,
}
