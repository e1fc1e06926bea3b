// Hints about values, names and types of the language.

import type { Exchange } from '../../http/kernel/exchange.ts'
import { placeText } from '../../routing/definition-error.ts'
import { byCode, byMessage, firstGroup, ownPlace, type BuiltInHint, hasCode } from './hint.ts'

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

export const builtInFunctionHints: readonly BuiltInHint[] = [
  {
    name: 'object-of-nothing',
    matches: byMessage(/^Cannot convert undefined or null to object/, 'TypeError'),
    explain: (error) => ({
      title: 'Object.keys, values, entries or fromEntries was given nothing',
      text: `The value${ownPlace(error)} is undefined or null. Check where it comes from, or give it a default: Object.keys(value ?? {}).`,
    }),
  },
  {
    name: 'in-operator',
    matches: byMessage(/^Cannot use 'in' operator to search for/, 'TypeError'),
    explain: (error) => ({
      title: `The right side of "in" is not an object: ${firstGroup(/ in (.{1,80})$/s, error.message)}`,
      text: `The value${ownPlace(error)} is text, a number or nothing. Check its type first; text that holds JSON has to be parsed.`,
    }),
  },
  {
    name: 'reduce-of-nothing',
    matches: byMessage(/^Reduce of empty array with no initial value/, 'TypeError'),
    explain: (error) => ({
      title: 'The list is empty, and reduce() has no first value',
      text: `Give reduce() a second argument${ownPlace(error)}, for example 0 for a sum: an empty list has no first value to start with.`,
    }),
  },
  {
    name: 'extends-nothing',
    matches: byMessage(/^Class extends value .* is not a constructor or null/, 'TypeError'),
    explain: (error) => ({
      title: 'The class to extend does not exist yet',
      text: `The name after "extends"${ownPlace(error)} is not a class: a misspelled import, or two modules that import each other. Move the base class into a separate module.`,
    }),
  },
  {
    name: 'method-without-this',
    matches: byMessage(/incompatible receiver|^this is not an? \w+ object|Illegal invocation|Value of "this" must be/),
    explain: (error) => ({
      title: 'A built-in method was called without its object',
      text: `The method${ownPlace(error)} was taken off its object, or the object is a Proxy. Call it as object.method(), or pass () => object.method().`,
    }),
  },
  {
    name: 'property-redefined',
    matches: byMessage(/^Cannot redefine property: /),
    explain: (error) => ({
      title: `The property ${firstGroup(/property: (.{1,80})$/, error.message)} is defined twice`,
      text: `It was defined before without configurable: true${ownPlace(error)}. A set-up that runs twice does this: run it once, at the start.`,
    }),
  },
  {
    name: 'currency-code',
    matches: byMessage(/^Invalid currency code|^Currency code is required/),
    explain: (error) => ({
      title: `${firstGroup(/code ?: (.{1,40})$/, error.message) || 'Nothing'} is not a currency code`,
      text: `Intl takes three letters, as in EUR${ownPlace(error)}. An empty setting, a symbol such as € or a name does not work.`,
    }),
  },
  {
    name: 'locale',
    matches: byMessage(/^Incorrect locale information provided|^Invalid language tag/),
    explain: (error) => ({
      title: `${firstGroup(/tag: (.{1,40})$/, error.message) || 'The locale'} is not a language tag`,
      text: `Intl takes tags with a dash, as in de-DE, not de_DE${ownPlace(error)}. A header such as Accept-Language lists several with weights: pick one first.`,
    }),
  },
  {
    name: 'time-zone',
    matches: byMessage(/^Invalid time zone specified/),
    explain: (error) => ({
      title: `${firstGroup(/specified: (.{1,60})$/, error.message) || 'The name'} is not a time zone`,
      text: `Intl takes names of the IANA list, as in Europe/Berlin or UTC${ownPlace(error)}.`,
    }),
  },
  {
    name: 'intl-option',
    matches: byMessage(
      /out of range for \w+ options property|^Value .{1,80} out of range|^\w+ value is out of range|must be between \d+ and \d+$/,
      'RangeError',
    ),
    explain: (error) => ({
      title: 'An option is outside what the function takes',
      text: `${error.message.slice(0, 200)}${ownPlace(error)}. Check the number: it was calculated, or comes from a setting or a client.`,
    }),
  },
  {
    name: 'bigint-from',
    matches: byMessage(
      /^Cannot convert .{1,80} to a BigInt$|cannot be converted to a BigInt because it is not an integer/s,
    ),
    explain: (error) => ({
      title: `${firstGroup(/convert (.{1,80}) to a BigInt/s, error.message) || firstGroup(/number (\S+) cannot/, error.message)} is not a whole number`,
      text: `BigInt() takes whole numbers and text that holds one${ownPlace(error)}. Check the input, or round first.`,
    }),
  },
  {
    name: 'symbol-as-text',
    matches: byMessage(/^Cannot convert (?:a Symbol value to a (?:string|number)|object to primitive value)/),
    explain: (error) => ({
      title: 'The value has no form as text',
      text: `A template, + or a comparison needs text or a number${ownPlace(error)}. Use a field of the object; objects without a prototype and symbols cannot be converted.`,
    }),
  },
  {
    name: 'proxy-or-weak-key',
    matches: byMessage(/^Invalid value used (?:as weak map key|in weak set)/),
    explain: (error) => ({
      title: 'The key of a WeakMap or WeakSet has to be an object',
      text: `The key${ownPlace(error)} is text, a number or nothing. Use a Map for those.`,
    }),
  },
  {
    name: 'stream-locked',
    matches: (error) =>
      /ReadableStream is locked|is locked to a reader|Controller is already closed/.test(error.message) ||
      hasCode(error, 'ERR_STREAM_CANNOT_PIPE'),
    explain: (error) => ({
      title: 'A stream is used twice, or after it was closed',
      text: `A stream has one reader and one end${ownPlace(error)}. Split it with tee(), and stop writing once close() was called.`,
    }),
  },
  {
    name: 'decryption-failed',
    matches: (error) =>
      /unable to authenticate data|bad decrypt|wrong final block length/.test(error.message) ||
      hasCode(error, 'ERR_OSSL_BAD_DECRYPT'),
    explain: (error) => ({
      title: 'The data cannot be decrypted with this key',
      text: `Key, nonce or authentication tag differ from those that encrypted it${ownPlace(error)}, or the data was cut or changed. Check that both sides read the same setting.`,
    }),
  },
  {
    name: 'key-length',
    matches: (error) =>
      /^Invalid (?:key length|initialization vector)|Input buffers must have the same byte length/.test(
        error.message,
      ) || hasCode(error, 'ERR_CRYPTO_INVALID_KEYLEN', 'ERR_CRYPTO_INVALID_IV', 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH'),
    explain: (error) => ({
      title: 'A key, nonce or signature has the wrong number of bytes',
      text: `Check its length${ownPlace(error)}, and how the setting is written: hex and base64 must be decoded with Buffer.from(text, 'hex' or 'base64') first.`,
    }),
  },
  {
    name: 'content-length-mismatch',
    matches: byCode('ERR_HTTP_CONTENT_LENGTH_MISMATCH'),
    explain: (error) => ({
      title: 'The body is longer or shorter than Content-Length says',
      text: `Count bytes, not characters: Buffer.byteLength(text)${ownPlace(error)}. Leave the header out: whole bodies are counted for you.`,
    }),
  },
  {
    name: 'assertion',
    matches: byCode('ERR_ASSERTION'),
    explain: (error) => ({
      title: `An assertion failed: ${error.message.split('\n', 1)[0]?.slice(0, 200) ?? ''}`,
      text: `The code expects something else${ownPlace(error)}. Compare "actual" with "expected", and follow where the actual value comes from.`,
    }),
  },
]
