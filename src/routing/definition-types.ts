// Checks the types of a definition, for those who write JavaScript or cast.

import { inspect } from 'node:util'
import {
  action,
  flag,
  isRecord,
  listOf,
  oneOf,
  text,
  wholeNumberRule,
  type OptionRule,
} from '../base/options/check-options.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { RouteDefinitionError, type DefinitionPlace } from './errors.ts'
import type { AnyHandlerOptions } from './route-definition.ts'

/** Timers take no more. */
const maxMs = 2_147_483_647
const milliseconds: OptionRule = {
  allowed: `a whole number from 1 to ${maxMs}`,
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxMs,
}
const words = listOf('a list of strings', (word) => typeof word === 'string')
const record: OptionRule = { allowed: 'a record', fits: isRecord }
const texts: OptionRule = {
  allowed: 'a record of strings',
  fits: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'string'),
}
const schema: OptionRule = { allowed: 'a schema with the member ~standard', fits: hasStandard }

type Rules = Readonly<Record<string, OptionRule>>

/** Options around a handler, of routes and groups. */
const handlerRules: Rules = {
  guard: { allowed: 'a function; for a second guard put a group around it', fits: action.fits },
  listeners: listOf('a list of listeners', isRecord),
  errorFormat: {
    allowed: "'problem', 'html' or a function",
    fits: (value) => value === 'problem' || value === 'html' || typeof value === 'function',
  },
  maxBodyBytes: wholeNumberRule,
  timeoutMs: milliseconds,
  body: schema,
  form: schema,
  query: schema,
  params: schema,
}

/** What the members of a group must be. */
export const groupRules: Rules = {
  ...handlerRules,
  name: text,
  path: text,
  host: text,
  requirements: texts,
  defaults: record,
}

/** What the members of a route must be. */
export const routeRules: Rules = {
  ...groupRules,
  path: {
    allowed: 'a string, or a record of strings by locale',
    fits: (value) => typeof value === 'string' || isLocalized(value),
  },
  methods: words,
  schemes: words,
  handler: action,
  condition: action,
  priority: { allowed: 'a number', fits: Number.isFinite },
  redirect: { ...oneOf('safe', 'all', 'none'), allowed: "'safe', 'all' or 'none'" },
  utf8: flag,
  captureBody: flag,
}

const noOptions: readonly AnyHandlerOptions[] = Object.freeze([])

/** The options around the handlers of a group: those of the groups around it, then its own. Groups without any share the list. */
export function handlerOptionsOf(
  given: object,
  outer: readonly AnyHandlerOptions[] = noOptions,
): readonly AnyHandlerOptions[] {
  const own = Object.entries(given).filter(([name, value]) => Object.hasOwn(handlerRules, name) && value !== undefined)
  return own.length === 0 ? outer : [...outer, Object.fromEntries(own)]
}

/** Throws a `RouteDefinitionError` for the first member that is of another type, and for one of `required` that is missing. */
export function checkTypes(
  given: object,
  rules: Rules,
  definedAt: () => DefinitionPlace | null,
  required: readonly string[] = [],
): void {
  const members = new Map<string, unknown>(Object.entries(given))
  const routeName = members.get('name')
  for (const [name, { allowed, fits }] of Object.entries(rules)) {
    const value = members.get(name)
    if ((value === undefined && !required.includes(name)) || fits(value)) continue
    const shown = cutText(inspect(value, { depth: 1, breakLength: Infinity, compact: true }), 100)
    const mistake = { reason: `${name} must be ${allowed}.`, text: `${name}: ${shown}`, offset: name.length + 2 }
    throw new RouteDefinitionError(typeof routeName === 'string' ? routeName : '', mistake, definedAt())
  }
}

/** Schemas are objects, or functions with members. */
function hasStandard(value: unknown): boolean {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value
}

function isLocalized(value: unknown): boolean {
  return isRecord(value) && texts.fits(value) && Object.keys(value).length > 0
}
