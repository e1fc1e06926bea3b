// What fuzzed places are fed with, and what every answer over HTTP must keep to.

import assert from 'node:assert/strict'
import { addressPath, fc } from './fast-check.ts'
import { wire } from './wire.ts'

/** One place. */
export interface FuzzTarget {
  readonly name: string
  /** Whether inputs are requests to a server in this process: then nothing else holds its loop for long. Default: no. */
  readonly isServed?: boolean
  /** Makes ready what the property needs. */
  open(): Promise<OpenTarget>
}

/** A target that can be fuzzed until it is closed. */
export interface OpenTarget {
  readonly property: fc.IAsyncProperty<unknown>
  close(): Promise<void>
}

/** Markup that must not leave its place, wherever it shows up. */
export const markup: string = '<svg onload=alert(1)>"\'>'

/** Any bytes, one character each. */
export const bytes: fc.Arbitrary<string> = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
})
const nasty = fc.constantFrom(
  '\0',
  '\r\n',
  '\n',
  '\r',
  '%',
  '%00',
  '%zz',
  '%c0%af',
  '%ed%a0%80',
  '//',
  '/../',
  '\\',
  '?',
  '#',
  '[',
  ']',
  '{',
  '}',
  '@',
  ':',
  '__proto__',
  'constructor',
  markup,
  '\u2028',
  '\xff',
  'a'.repeat(5000),
  ' ',
  '\t',
  '*',
  ';',
  ',',
  '=',
  '&',
  '+',
  '_profiler',
)
/** Bytes, with what has broken parsers before among them. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 2, arbitrary: nasty }, bytes, addressPath), { maxLength: 8 })
  .map((parts) => parts.join(''))
/** Any JSON value. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constant(markup),
  fc.constant({ ['__proto__']: markup }),
)

const allowed = (status: number): boolean => status < 500 || status === 501 || status === 505

/** One answer at most for what may be a request, no fault of ours, no markup that came in. */
export async function assertAnswered(port: number, sent: string, method: string, mayFail = false): Promise<void> {
  const { responses, isClosed, text } = await wire(port, sent, { method, endsHalf: true })
  assert.ok(isClosed, 'the connection was left open')
  for (const { status, header, body } of responses) {
    assert.ok(allowed(status) || (mayFail && status === 500), `status ${status}`)
    if (header('content-type')?.startsWith('text/html') === true)
      assert.ok(!body.includes('<svg onload'), 'markup went through')
  }
  assert.doesNotMatch(text, /^x-inj/im)
}
