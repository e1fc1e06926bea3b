// Checks the types of a definition, for those who write JavaScript or cast.

import { inspect } from 'node:util'
import { isRecord } from '../base/options/check-options.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { RouteDefinitionError, type DefinitionPlace } from './definition-error.ts'
import type { AnyHandlerOptions } from './route-options.ts'

interface Rule {
  readonly wanted: string
  readonly test: (value: unknown) => boolean
  readonly isOptional: boolean
}

const text = rule('a string', (value) => typeof value === 'string')
const flag = rule('true or false', (value) => typeof value === 'boolean')
const words = rule(
  'a list of strings',
  (value) => Array.isArray(value) && value.every((word) => typeof word === 'string'),
)
const record = rule('a record', isRecord)
const texts = rule(
  'a record of strings',
  (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'string'),
)
const action = rule('a function', (value) => typeof value === 'function')

const bytes = rule('a whole number from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0)
/** Timers take no more. */
const maxMs = 2_147_483_647
const milliseconds = rule(
  `a whole number from 1 to ${maxMs}`,
  (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxMs,
)
const schema = rule('a schema with the member ~standard', hasStandard)

/** Options around a handler, of routes and groups. */
const handlerRules: Readonly<Record<string, Rule>> = {
  guard: optional(rule('a function; for a second guard put a group around it', action.test)),
  listeners: optional(rule('a list of listeners', (value) => Array.isArray(value) && value.every(isRecord))),
  errorFormat: optional(
    rule(
      "'problem', 'html' or a function",
      (value) => value === 'problem' || value === 'html' || typeof value === 'function',
    ),
  ),
  maxBodyBytes: optional(bytes),
  timeoutMs: optional(milliseconds),
  body: optional(schema),
  form: optional(schema),
  query: optional(schema),
  params: optional(schema),
}

/** What the members of a group must be. */
export const groupRules: Readonly<Record<string, Rule>> = {
  ...handlerRules,
  name: optional(text),
  path: optional(text),
  host: optional(text),
  requirements: optional(texts),
  defaults: optional(record),
}

/** What the members of a route must be. */
export const routeRules: Readonly<Record<string, Rule>> = {
  ...groupRules,
  name: text,
  path: rule('a string, or a record of strings by locale', (value) => text.test(value) || isLocalized(value)),
  methods: optional(words),
  schemes: optional(words),
  handler: action,
  condition: optional(action),
  priority: optional(rule('a number', Number.isFinite)),
  redirect: optional(
    rule("'safe', 'all' or 'none'", (value) => value === 'safe' || value === 'all' || value === 'none'),
  ),
  utf8: optional(flag),
  captureBody: optional(flag),
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

/** Throws a `RouteDefinitionError` for the first member that is of another type. */
export function checkTypes(
  given: object,
  rules: Readonly<Record<string, Rule>>,
  definedAt: () => DefinitionPlace | null,
): void {
  const members = new Map<string, unknown>(Object.entries(given))
  const routeName = members.get('name')
  for (const [name, { wanted, test, isOptional }] of Object.entries(rules)) {
    const value = members.get(name)
    if ((value === undefined && isOptional) || test(value)) continue
    const shown = cutText(inspect(value, { depth: 1, breakLength: Infinity, compact: true }), 100)
    const mistake = { reason: `${name} must be ${wanted}.`, text: `${name}: ${shown}`, offset: name.length + 2 }
    throw new RouteDefinitionError(typeof routeName === 'string' ? routeName : '', mistake, definedAt())
  }
}

function rule(wanted: string, test: (value: unknown) => boolean): Rule {
  return { wanted, test, isOptional: false }
}

function optional(one: Rule): Rule {
  return { ...one, isOptional: true }
}

/** Schemas are objects, or functions with members. */
function hasStandard(value: unknown): boolean {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value
}

function isLocalized(value: unknown): boolean {
  return isRecord(value) && texts.test(value) && Object.keys(value).length > 0
}
