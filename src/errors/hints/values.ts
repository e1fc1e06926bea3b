// Hints about values, names and types of the language.

import type { Exchange } from '../../http/kernel/exchange.ts'
import { placeText } from '../../routing/errors.ts'
import { firstGroup, ownPlace, type HintRows } from './hint.ts'

/** What the second argument of handlers has in Express and the like. */
const ofResponses =
  /^(?:json|send|sendStatus|sendFile|status|end|write|writeHead|set|setHeader|statusCode|header|cookie|redirect|render|type)$/

const fraction = /(?<![\d.])(\d{1,12}\.\d{0,12}(?:0{6,}|9{6,})\d{1,4})(?!\d)/

export const valueHints: HintRows = {
  'binary-fraction': {
    message: fraction,
    title: ({ message }) => `${firstGroup(fraction, message)} is a rounding error of binary fractions`,
    text: 'Numbers such as 0.1 have no exact form. Calculate money in whole cents, and round once, where it is shown or compared.',
  },
  'property-of-nothing': {
    message: /^Cannot (?:read|set) properties of (?:undefined|null) (?!.*'#)/,
    explain: (error, exchange) => {
      const { message } = error
      const name = firstGroup(/\((?:reading|setting) '([^']*)'\)/, message)
      if (ofResponses.test(name) && (exchange?.route?.handler?.length ?? 0) > 1)
        return {
          title: 'A handler gets one argument, the exchange',
          text: `There is no response object${ownPlace(error)}. Return the response: ({ request }) => json({ … }), text('…') or redirect('/…').`,
        }
      const property = memberText(name)
      const nothing = nothingIn(message)
      const verb = message.includes('Cannot set') ? 'Setting' : 'Reading'
      return {
        title: `The value before ${property} is ${nothing}`,
        text: `${verb} ${property} failed because the value was ${nothing}${ownPlace(error)}. Check where the value comes from: a lookup without a result, a missing await, a misspelled key. If it can be missing, use ?. or return early.`,
      }
    },
  },
  'private-method-unbound': {
    message: /\(reading '#|Cannot read private member|Receiver must be/,
    title: 'A method was called without its object',
    text: 'The method{at} uses a private field, but "this" was another value. Pass it as an arrow function, () => object.method(), or bind it.',
  },
  'destructured-nothing': {
    message: /^Cannot destructure property/,
    title: ({ message }) =>
      `Cannot take ${firstGroup(/property '([^']+)'/, message) || 'a property'} from ${nothingIn(message)}`,
    text: (error) =>
      `The value${ownPlace(error)} is ${nothingIn(error.message)}. Give the parameter a default, or check the value first.`,
  },
  'not-iterable': {
    message: /is not iterable|is not async iterable/,
    title: 'The value cannot be iterated',
    text: 'The loop, spread or destructuring{at} needs an array, a Map or a Set. Use Object.entries for an object; await a promise first; match() and exec() give null where nothing matches.',
  },
  'not-a-function': {
    message: / is not a function$/,
    className: 'TypeError',
    explain: (error) => {
      const called = firstGroup(/^([^]+) is not a function$/, error.message)
      const title = `\`${called}\` is not a function`
      const known = typeWithMethod(firstGroup(/\.([\w$]+)$/, called))
      if (known === undefined)
        return {
          title,
          text: `The value called${ownPlace(error)} is something else, usually undefined: a misspelled name, a default import of a module without one, or a promise that was not awaited.`,
        }
      return {
        title: `${title}: \`${called.replace(/\.[\w$]+$/, '')}\` is not ${known.type}`,
        text: `The value${ownPlace(error)} has another type: ${known.instead}.`,
      }
    },
  },
  'not-a-constructor': {
    message: / is not a constructor$/,
    title: (error) => `\`${firstGroup(/^([^]+) is not a constructor$/, error.message)}\` is not a constructor`,
    text: 'The value after new{at} cannot be constructed. Check the import: default and named exports are easily confused.',
  },
  'constant-assigned': {
    message: /^Assignment to constant variable/,
    title: 'A constant was reassigned',
    text: 'The name{at} was declared with const, or was imported. Declare it with let, or use a new name.',
  },
  'frozen-object': {
    message: /Cannot (assign to read only|add|delete|define) property|object is not extensible|which has only a getter/,
    title: 'A frozen or read-only object was changed',
    text: 'The object{at} is frozen, sealed, or has only a getter for this property. Make a copy with the change: { ...object, name: value }.',
  },
  'used-before-definition': {
    message: /^Cannot access '.*' before initialization/,
    title: (error) => `${firstGroup(/access '([^']+)'/, error.message)} was used before it was initialized`,
    text: 'The line{at} ran before the declaration. Across files, two modules that import each other cause this: move what both need into a third.',
  },
  'name-not-defined': {
    message: /^\S+ is not defined$/,
    className: 'ReferenceError',
    title: (error) => `${firstGroup(/^(\S+)/, error.message)} is not defined`,
    text: 'The name is used{at} but neither declared nor imported there. window and document do not exist on a server.',
  },
  'stack-overflow': {
    message: /^Maximum call stack size exceeded/,
    className: 'RangeError',
    title: 'A function calls itself without end',
    text: (error) => {
      const repeated = error.frames.find(({ repeats }) => repeats !== undefined)
      const at = repeated?.origin === 'own' ? ` at ${repeated.file}:${repeated.line}` : ownPlace(error)
      return `The frames that repeat in the trace are the loop${at}. Check the condition that should end it, data that contains itself, getters that read themselves, and push(...list) with a very long list.`
    },
  },
  'bigint-mixed': {
    message: /^Cannot mix BigInt/,
    title: 'A BigInt and a number were mixed',
    text: 'Convert one of them{at}: BigInt(number) for a whole number, Number(bigint) for a small one.',
  },
  'invalid-date': {
    message: /^(Invalid time value|date value is not finite)/i,
    className: 'RangeError',
    title: 'Invalid date',
    text: 'The date was made from a string that could not be parsed, which only shows here{at}. Check Number.isNaN(date.getTime()) where the string comes in.',
  },
  'invalid-length': {
    message: /^Invalid (array|typed array|string) length|^Invalid count value|^Array buffer allocation failed/,
    className: 'RangeError',
    title: 'A length is negative, fractional or too large',
    text: 'The number{at} was calculated wrongly, or came from a client unchecked.',
  },
  'invalid-pattern': {
    message: /^Invalid regular expression/,
    className: 'SyntaxError',
    title: 'Invalid regular expression',
    text: 'If part of it comes from a user, escape it with RegExp.escape, or search with includes(){at}.',
  },
  'wrong-argument': {
    codes: ['ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE', 'ERR_OUT_OF_RANGE', 'ERR_MISSING_ARGS'],
    title: 'A Node function was called with a value it does not accept',
    text: 'The message names the argument and the value{at}. "Received undefined" usually means a missing setting or environment variable.',
  },
  'not-cloneable': {
    className: 'DataCloneError',
    title: 'The value cannot be cloned',
    text: 'Functions, sockets and class instances do not pass between threads or through structuredClone{at}. Send plain data.',
  },
  'not-an-error': {
    matches: (error) => !error.isError,
    title: (error) => `${withArticle(error.className)} was thrown, so there is no stack trace`,
    text: (error, exchange) =>
      `It came from ${originOf(exchange)}. Throw new Error(…) instead, with the value as its cause.`,
  },
}

interface TypeMethods {
  /** `an array` */
  readonly type: string
  readonly methods: ReadonlySet<string>
  /** What the value often is. */
  readonly instead: string
}

/** The built-in type whose values have such a method: `map`. */
function typeWithMethod(name: string): TypeMethods | undefined {
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

function nothingIn(message: string): string {
  return / of null | as it is null/.test(message) ? 'null' : 'undefined'
}

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

export const builtInFunctionHints: HintRows = {
  'object-of-nothing': {
    message: /^Cannot convert undefined or null to object/,
    className: 'TypeError',
    title: 'Object.keys, values, entries or fromEntries was given nothing',
    text: 'The value{at} is undefined or null. Check where it comes from, or give it a default: Object.keys(value ?? {}).',
  },
  'in-operator': {
    message: /^Cannot use 'in' operator to search for/,
    className: 'TypeError',
    title: (error) => `The right side of "in" is not an object: ${firstGroup(/ in (.{1,80})$/s, error.message)}`,
    text: 'The value{at} is text, a number or nothing. Check its type first; text that holds JSON has to be parsed.',
  },
  'reduce-of-nothing': {
    message: /^Reduce of empty array with no initial value/,
    className: 'TypeError',
    title: 'The list is empty, and reduce() has no first value',
    text: 'Give reduce() a second argument{at}, for example 0 for a sum: an empty list has no first value to start with.',
  },
  'extends-nothing': {
    message: /^Class extends value .* is not a constructor or null/,
    className: 'TypeError',
    title: 'The class to extend does not exist yet',
    text: 'The name after "extends"{at} is not a class: a misspelled import, or two modules that import each other. Move the base class into a separate module.',
  },
  'method-without-this': {
    message: /incompatible receiver|^this is not an? \w+ object|Illegal invocation|Value of "this" must be/,
    title: 'A built-in method was called without its object',
    text: 'The method{at} was taken off its object, or the object is a Proxy. Call it as object.method(), or pass () => object.method().',
  },
  'currency-code': {
    message: /^Invalid currency code|^Currency code is required/,
    title: (error) => `${firstGroup(/code ?: (.{1,40})$/, error.message) || 'Nothing'} is not a currency code`,
    text: 'Intl takes three letters, as in EUR{at}. An empty setting, a symbol such as € or a name does not work.',
  },
  locale: {
    message: /^Incorrect locale information provided|^Invalid language tag/,
    title: (error) => `${firstGroup(/tag: (.{1,40})$/, error.message) || 'The locale'} is not a language tag`,
    text: 'Intl takes tags with a dash, as in de-DE, not de_DE{at}. A header such as Accept-Language lists several with weights: pick one first.',
  },
  'time-zone': {
    message: /^Invalid time zone specified/,
    title: (error) => `${firstGroup(/specified: (.{1,60})$/, error.message) || 'The name'} is not a time zone`,
    text: 'Intl takes names of the IANA list, as in Europe/Berlin or UTC{at}.',
  },
  'intl-option': {
    message:
      /out of range for \w+ options property|^Value .{1,80} out of range|^\w+ value is out of range|must be between \d+ and \d+$/,
    className: 'RangeError',
    title: 'An option is outside what the function takes',
    text: (error) =>
      `${error.message.slice(0, 200)}${ownPlace(error)}. Check the number: it was calculated, or comes from a setting or a client.`,
  },
  'bigint-from': {
    message: /^Cannot convert .{1,80} to a BigInt$|cannot be converted to a BigInt because it is not an integer/s,
    title: (error) =>
      `${firstGroup(/convert (.{1,80}) to a BigInt/s, error.message) || firstGroup(/number (\S+) cannot/, error.message)} is not a whole number`,
    text: 'BigInt() takes whole numbers and text that holds one{at}. Check the input, or round first.',
  },
  'stream-locked': {
    message: /ReadableStream is locked|is locked to a reader|Controller is already closed/,
    codes: ['ERR_STREAM_CANNOT_PIPE'],
    title: 'A stream is used twice, or after it was closed',
    text: 'A stream has one reader and one end{at}. Split it with tee(), and stop writing once close() was called.',
  },
  'decryption-failed': {
    message: /unable to authenticate data|bad decrypt|wrong final block length/,
    codes: ['ERR_OSSL_BAD_DECRYPT'],
    title: 'The data cannot be decrypted with this key',
    text: 'Key, nonce or authentication tag differ from those that encrypted it{at}, or the data was cut or changed. Check that both sides read the same setting.',
  },
  'key-length': {
    message: /^Invalid (?:key length|initialization vector)|Input buffers must have the same byte length/,
    codes: ['ERR_CRYPTO_INVALID_KEYLEN', 'ERR_CRYPTO_INVALID_IV', 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH'],
    title: 'A key, nonce or signature has the wrong number of bytes',
    text: "Check its length{at}, and how the setting is written: hex and base64 must be decoded with Buffer.from(text, 'hex' or 'base64') first.",
  },
  'content-length-mismatch': {
    codes: ['ERR_HTTP_CONTENT_LENGTH_MISMATCH'],
    title: 'The body is longer or shorter than Content-Length says',
    text: 'Count bytes, not characters: Buffer.byteLength(text){at}. Leave the header out: whole bodies are counted for you.',
  },
}
