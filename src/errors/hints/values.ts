// Hints about values, names and types of the language.

import type { Exchange } from '../../framework/kernel/exchange.ts'
import { placeText } from '../../framework/routing/definition-error.ts'
import { byCode, byMessage, firstGroup, ownPlace, type BuiltInHint } from './hint.ts'

/** What the second argument of handlers has in Express and the like. */
const ofResponses =
  /^(?:json|send|sendStatus|sendFile|status|end|write|writeHead|set|setHeader|statusCode|header|cookie|redirect|render|type)$/

export const valueHints: readonly BuiltInHint[] = [
  {
    name: 'property-of-nothing',
    matches: byMessage(/^Cannot (?:read|set) properties of (?:undefined|null) (?!.*'#)/),
    explain: (error, exchange) => {
      const { message } = error
      const name = firstGroup(/\((?:reading|setting) '([^']*)'\)/, message)
      if (ofResponses.test(name) && (exchange?.route?.handler?.length ?? 0) > 1)
        return {
          title: 'A handler gets one argument, the exchange',
          text: `There is no response object${ownPlace(error)}. Return the response: ({ request }) => json({ … }), text('…') or redirect('/…').`,
        }
      const property = memberText(name)
      const nothing = message.includes(' of null ') ? 'null' : 'undefined'
      const verb = message.includes('Cannot set') ? 'Setting' : 'Reading'
      return {
        title: `The value before ${property} is ${nothing}`,
        text:
          `${verb} ${property} failed because the value was ${nothing}${ownPlace(error)}. Check where the ` +
          'value comes from: a lookup without a result, a missing await, a misspelled key. If it can be missing, use ?. or return early.',
      }
    },
  },
  {
    name: 'private-method-unbound',
    matches: byMessage(/\(reading '#|Cannot read private member|Receiver must be/),
    explain: (error) => ({
      title: 'A method was called without its object',
      text:
        `The method${ownPlace(error)} uses a private field, but "this" was another value. Pass it as an arrow ` +
        'function, () => object.method(), or bind it.',
    }),
  },
  {
    name: 'destructured-nothing',
    matches: byMessage(/^Cannot destructure property/),
    explain: (error) => {
      const nothing = error.message.includes(' as it is null') ? 'null' : 'undefined'
      return {
        title: `Cannot take ${firstGroup(/property '([^']+)'/, error.message) || 'a property'} from ${nothing}`,
        text: `The value${ownPlace(error)} is ${nothing}. Give the parameter a default, or check the value first.`,
      }
    },
  },
  {
    name: 'not-iterable',
    matches: byMessage(/is not iterable|is not async iterable/),
    explain: (error) => ({
      title: 'The value cannot be iterated',
      text:
        `The loop, spread or destructuring${ownPlace(error)} needs an array, a Map or a Set. Use Object.entries ` +
        'for an object; await a promise first.',
    }),
  },
  {
    name: 'not-a-function',
    matches: byMessage(/ is not a function$/, 'TypeError'),
    explain: (error) => {
      const called = firstGroup(/^([^]+) is not a function$/, error.message)
      const known = typeWithMethod(firstGroup(/\.([\w$]+)$/, called))
      const before = called.replace(/\.[\w$]+$/, '')
      return {
        title:
          known === undefined
            ? `\`${called}\` is not a function`
            : `\`${called}\` is not a function: \`${before}\` is not ${known.type}`,
        text:
          known === undefined
            ? `The value called${ownPlace(error)} is something else, usually undefined: a misspelled name, a ` +
              'default import of a module without one, or a promise that was not awaited.'
            : `The value${ownPlace(error)} has another type: ${known.instead}.`,
      }
    },
  },
  {
    name: 'not-a-constructor',
    matches: byMessage(/ is not a constructor$/),
    explain: (error) => ({
      title: `\`${firstGroup(/^([^]+) is not a constructor$/, error.message)}\` is not a constructor`,
      text: `The value after new${ownPlace(error)} cannot be constructed. Check the import: default and named exports are easily confused.`,
    }),
  },
  {
    name: 'class-without-new',
    matches: byMessage(/^Class constructor \S+ cannot be invoked without 'new'/),
    explain: (error) => ({
      title: `new is missing before ${firstGroup(/constructor (\S+)/, error.message)}`,
      text: `A class was called like a function${ownPlace(error)}. Old helpers that inherit by calling the parent do this too.`,
    }),
  },
  {
    name: 'constant-assigned',
    matches: byMessage(/^Assignment to constant variable/),
    explain: (error) => ({
      title: 'A constant was reassigned',
      text: `The name${ownPlace(error)} was declared with const, or was imported. Declare it with let, or use a new name.`,
    }),
  },
  {
    name: 'frozen-object',
    matches: byMessage(
      /Cannot (assign to read only|add|delete|define) property|object is not extensible|which has only a getter/,
    ),
    explain: (error) => ({
      title: 'A frozen or read-only object was changed',
      text:
        `The object${ownPlace(error)} is frozen, sealed, or has only a getter for this property. ` +
        'Make a copy with the change: { ...object, name: value }.',
    }),
  },
  {
    name: 'used-before-definition',
    matches: byMessage(/^Cannot access '.*' before initialization/),
    explain: (error) => ({
      title: `${firstGroup(/access '([^']+)'/, error.message)} was used before it was initialized`,
      text:
        `The line${ownPlace(error)} ran before the declaration. Across files, two modules that import each other ` +
        'cause this: move what both need into a third.',
    }),
  },
  {
    name: 'name-not-defined',
    matches: byMessage(/^\S+ is not defined$/, 'ReferenceError'),
    explain: (error) => ({
      title: `${firstGroup(/^(\S+)/, error.message)} is not defined`,
      text:
        `The name is used${ownPlace(error)} but neither declared nor imported there. window and document ` +
        'do not exist on a server.',
    }),
  },
  {
    name: 'stack-overflow',
    matches: byMessage(/^Maximum call stack size exceeded/, 'RangeError'),
    explain: (error) => ({
      title: 'A function calls itself without end',
      text:
        `The frames that repeat in the trace are the loop${ownPlace(error)}. Check the condition that ` +
        'should end it, data that contains itself, getters that read themselves, and push(...list) with a ' +
        'very long list.',
    }),
  },
  {
    name: 'bigint-mixed',
    matches: byMessage(/^Cannot mix BigInt/),
    explain: (error) => ({
      title: 'A BigInt and a number were mixed',
      text: `Convert one of them${ownPlace(error)}: BigInt(number) for a whole number, Number(bigint) for a small one.`,
    }),
  },
  {
    name: 'invalid-date',
    matches: byMessage(/^(Invalid time value|date value is not finite)/i, 'RangeError'),
    explain: (error) => ({
      title: 'Invalid date',
      text:
        `The date was made from a string that could not be parsed, which only shows here${ownPlace(error)}. Check ` +
        'Number.isNaN(date.getTime()) where the string comes in.',
    }),
  },
  {
    name: 'invalid-length',
    matches: byMessage(
      /^Invalid (array|typed array|string) length|^Invalid count value|^Array buffer allocation failed/,
      'RangeError',
    ),
    explain: (error) => ({
      title: 'A length is negative, fractional or too large',
      text: `The number${ownPlace(error)} was calculated wrongly, or came from a client unchecked.`,
    }),
  },
  {
    name: 'invalid-pattern',
    matches: byMessage(/^Invalid regular expression/, 'SyntaxError'),
    explain: (error) => ({
      title: 'Invalid regular expression',
      text: `If part of it comes from a user, escape it with RegExp.escape, or search with includes()${ownPlace(error)}.`,
    }),
  },
  {
    name: 'wrong-argument',
    matches: byCode('ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE', 'ERR_OUT_OF_RANGE', 'ERR_MISSING_ARGS'),
    explain: (error) => ({
      title: 'A Node function was called with a value it does not accept',
      text:
        `The message names the argument and the value${ownPlace(error)}. "Received undefined" usually means a missing ` +
        'setting or environment variable.',
    }),
  },
  {
    name: 'not-cloneable',
    matches: (error) => error.className === 'DataCloneError',
    explain: (error) => ({
      title: 'The value cannot be cloned',
      text: `Functions, sockets and class instances do not pass between threads or through structuredClone${ownPlace(error)}. Send plain data.`,
    }),
  },
  {
    name: 'not-an-error',
    matches: (error) => !error.isError,
    explain: (error, exchange) => ({
      title: `${withArticle(error.className)} was thrown, so there is no stack trace`,
      text: `It came from ${originOf(exchange)}. Throw new Error(…) instead, with the value as its cause.`,
    }),
  },
]

interface TypeMethods {
  /** `an array` */
  readonly type: string
  readonly methods: ReadonlySet<string>
  /** What the value often is. */
  readonly instead: string
}

/** The built-in type whose values have such a method: `map`. */
export function typeWithMethod(name: string): TypeMethods | undefined {
  return methodsByType.find(({ methods }) => methods.has(name))
}

const methodsByType: readonly TypeMethods[] = [
  {
    type: 'an array',
    methods: new Set(
      'map filter forEach find findIndex some every reduce join push flatMap sort toSorted at'.split(' '),
    ),
    instead: 'an object that holds the list in a field, a Map, text, or a promise without await',
  },
  {
    type: 'a number',
    methods: new Set('toFixed toPrecision toExponential'.split(' ')),
    instead: 'text from a form, a query, a setting or a database column. Convert it with Number() where it comes in',
  },
  {
    type: 'text',
    methods: new Set(
      'trim split toLowerCase toUpperCase replace replaceAll startsWith endsWith padStart padEnd charAt localeCompare match'.split(
        ' ',
      ),
    ),
    instead: 'a number, an object, or a list because the field was sent twice. Check the input where it comes in',
  },
  {
    type: 'a Date',
    methods: new Set('toISOString getTime getFullYear getMonth getDate toLocaleDateString'.split(' ')),
    instead: 'text or a number, as JSON and most databases give dates. Make one with new Date(value)',
  },
  {
    type: 'a promise',
    methods: new Set(['then', 'catch', 'finally']),
    instead: 'a plain result, because the function is not async or takes a callback. Use await, which works for both',
  },
]

/** `.price`, `[0]`, `["unit price"]`. */
function memberText(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return `.${name}`
  return /^\d+$/.test(name) ? `[${name}]` : `["${name}"]`
}

function withArticle(type: string): string {
  if (type === 'null' || type === 'undefined') return type
  return /^[aeiou]/i.test(type) ? `An ${type}` : `A ${type}`
}

function originOf(exchange: Exchange | undefined): string {
  if (exchange === undefined) return 'code outside every request'
  const { handlerName, route } = exchange
  if (route === undefined) return 'a listener, before a route matched'
  const place = placeText(route.definedAt)
  return `the handler "${handlerName === '' ? route.name : handlerName}" of route "${route.name}"${place === null ? '' : ` at ${place}`}`
}
