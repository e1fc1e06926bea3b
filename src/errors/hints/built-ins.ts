// Hints about functions of the language and of Node that were given a value they do not take.

import { firstGroup, byMessage, hasCode, ownPlace, byCode, type BuiltInHint } from './hint.ts'

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
