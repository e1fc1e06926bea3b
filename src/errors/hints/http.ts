// Hints about responses, bodies, headers, URLs, outgoing requests and JSON.

import { placeText } from '../../routing/errors.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import type { FlattenedError } from '../flattened-error.ts'
import { callerPlace, firstGroup, ownPlace, propertyText, type HintRows } from './hint.ts'

export const httpHints: HintRows = {
  'headers-already-sent': {
    codes: ['ERR_HTTP_HEADERS_SENT'],
    title: 'The response had already been sent',
    text: (error, _exchange, inner) => {
      const first = inner?.className === 'FirstSend' ? ownPlace(inner) : null
      const begun =
        first === null ? '' : first === '' ? "; the first response came from the route's handler" : `; it began${first}`
      return `Something wrote headers${ownPlace(error)} after the response had begun${begun}. Respond once: return after the first response, and set headers before the first byte. The second writer is usually a callback, or a promise that was not awaited.`
    },
  },
  'body-read-twice': {
    matches: ({ message, className }) =>
      /Body is unusable|already (been )?read|bodyUsed/i.test(message) || className.includes('BodyAlreadyRead'),
    title: 'The body was read twice',
    text: (error, _exchange, inner) => {
      const isMarked = inner?.className === 'FirstBodyRead'
      const first = isMarked ? `, after the first read${callerPlace(inner, error)}` : ''
      return `A body can be read only once. It was read again${isMarked ? callerPlace(error, inner) : ownPlace(error)}${first}. Keep the result of the first read, or clone a Response before reading it.`
    },
  },
  'handler-returned-nothing': {
    // A guard that returns anything else says in its message what it may return.
    matches: ({ className, message }) => className === 'HandlerResultError' && message.startsWith('Handler '),
    title: 'The handler returned no response',
    text: (_error, exchange) =>
      `Every path through a handler must return a response, and asynchronous work must be awaited: look for a branch without return, and for an arrow function whose braces need a return. ${definedText(exchange)}`,
  },
  'unsendable-reply': {
    codes: ['ERR_UNSENDABLE_REPLY'],
    title: 'The response cannot be sent as it is',
    text: (error, exchange) => `${error.message.slice(0, 300)}. ${definedText(exchange)}`,
  },
  'invalid-header': {
    codes: ['ERR_INVALID_CHAR', 'ERR_HTTP_INVALID_HEADER_VALUE', 'ERR_INVALID_HTTP_TOKEN'],
    title: 'A header contains characters that HTTP does not allow',
    text: 'Header names are tokens; values are Latin-1 without line breaks. Encode the value{at}, for example with encodeURIComponent, and keep request data out of headers.',
  },
  'body-too-large': {
    matches: (error) => error.className === 'HttpError' && propertyText(error, 'statusCode') === '413',
    title: 'The request body is larger than allowed',
    text: 'The limit is the option maxBodyBytes of the application. Raise it if such bodies are expected, or read the body as a stream.',
  },
  'failed-fetch': {
    matches: (error, exchange) => error.message === 'fetch failed' && lastFailedCall(exchange) !== undefined,
    explain: (_error, exchange) => {
      const { method, url, callSite, error } = lastFailedCall(exchange) ?? unknownCall
      return {
        title: `${method} ${url} failed: ${error}`,
        text: `The request${callSite === null ? '' : `, sent at ${callSite},`} got no response. See the cause below.`,
      }
    },
  },
  'invalid-url': {
    message: /^Failed to parse URL/,
    codes: ['ERR_INVALID_URL'],
    title: (error) =>
      `${propertyText(error, 'input') || firstGroup(/from (.*)$/, error.message) || 'The string'} is not a complete URL`,
    text: 'A URL needs a scheme and a host. On a server there is no page to be relative to: give new URL(path, base) a base{at}.',
  },
  'malformed-percent': {
    className: 'URIError',
    title: 'A percent sign is not followed by two hexadecimal digits',
    text: 'The string{at} was not encoded, or was decoded twice. Clients can send anything: decode their input inside try.',
  },
  'html-instead-of-json': {
    message: /^Unexpected token '<'.*is not valid JSON$/s,
    className: 'SyntaxError',
    title: 'An HTML page was parsed as JSON',
    text: 'The other server responded with a page, most likely an error page or a login. Check the status and the content type before parsing{at}.',
  },
  'promise-not-awaited': {
    message: /\[object Promise\]/,
    title: 'A promise was used in place of its value',
    text: 'An await is missing{at}: a promise turned into a string reads "[object Promise]".',
  },
  'object-as-text': {
    message: /\[object Object\]/,
    className: 'SyntaxError',
    title: 'An object was parsed as JSON',
    text: 'JSON.parse expects a string; it was given an object{at}, which became "[object Object]". It is already parsed: use it as it is.',
  },
  'undefined-as-json': {
    message: /^"undefined" is not valid JSON$/,
    className: 'SyntaxError',
    title: 'undefined was parsed as JSON',
    text: 'JSON.parse was given undefined{at}: the variable, header or file it should have come from is missing.',
  },
  'json-ended-early': {
    message: /^(Unexpected end of JSON input|Unterminated string in JSON)/,
    className: 'SyntaxError',
    title: 'The JSON is empty or incomplete',
    text: 'The string ended before the document did{at}. Typical causes are an empty body, a truncated file and a response without content.',
  },
  'json-syntax': {
    matches: ({ className, message }) =>
      className === 'SyntaxError' &&
      / JSON at position \d+|is not valid JSON$/s.test(message) &&
      !/'<'|\[object |"undefined"/.test(message),
    title: (error) => `Invalid JSON${jsonPlace(error.message)}`,
    text: 'JSON requires double-quoted keys and strings, and allows no trailing comma, comments or byte order mark.',
  },
  'circular-json': {
    message: /^Converting circular structure to JSON/,
    title: (error) => `${cycleOf(error)} cannot become JSON`,
    text: (error) =>
      `${propertyText(error, 'jsonPath') === '' ? 'The message shows the cycle' : 'JSON has no way to refer to an object further up'}. Pick the fields you need${ownPlace(error)}, instead of passing a whole request, socket or database object.`,
  },
  'bigint-json': {
    message: /serialize a BigInt/,
    title: (error) => `JSON has no BigInt${propertyText(error, 'jsonPath').replace(/^(?=.)/, ': ')}`,
    text: "Convert the BigInt to a string{at}, for example with a replacer: (key, value) => typeof value === 'bigint' ? String(value) : value. defaultSafeIntegers() of better-sqlite3 makes every whole number one.",
  },
}

/** `The route is defined at src/routes.ts:12.`; empty if unknown. */
function definedText(exchange: Exchange | undefined): string {
  const place = placeText(exchange?.route?.definedAt ?? null)
  return place === null ? '' : `The route is defined at ${place}.`
}

interface Call {
  readonly method: string
  readonly url: string
  readonly error: string
  readonly callSite: string | null
}

const unknownCall: Call = { method: 'An outgoing request', url: '', error: 'unknown cause', callSite: null }

/** The newest captured request without a response. */
function lastFailedCall(exchange: Exchange | undefined): Call | undefined {
  const recording = exchange?.recording
  const details = recording?.workSources.flatMap((source) => source.workFacts().details) ?? []
  for (const { spanId, error, callSite } of details.toReversed()) {
    const span = error === null ? undefined : recording?.stopwatch.spans().find(({ id }) => id === spanId)
    if (error === null || span?.category !== 'http') continue
    const { 'http.request.method': method = 'An outgoing request', 'url.full': url = '' } = span.attributes
    return { method: String(method), url: String(url), error, callSite }
  }
  return undefined
}

/** `order.items[2].order is order again, so it`. */
function cycleOf(error: FlattenedError): string {
  const path = propertyText(error, 'jsonPath')
  return path === '' ? 'The value contains itself and' : `${path} is ${propertyText(error, 'sameAs')} again, so it`
}

function jsonPlace(message: string): string {
  const place = /\(line (\d+) column (\d+)\)/.exec(message)
  return place === null ? '' : ` at line ${place[1]}, column ${place[2]}`
}
