// Faults of what runs later or side by side: promises, streams, callbacks, time limits.

import { readFile } from 'node:fs'
import { EventEmitter, once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { json, stream, text } from '../../../src/index.ts'
import { unchecked, type Case } from '../case.ts'

async function priceOf(name: string): Promise<number> {
  await pause(1)
  if (name === 'chair') throw new RangeError(`No price for "${name}"`)
  return 10
}

export const async: readonly Case[] = [
  {
    cause: 'One of several prices that are read side by side is missing.',
    routes: (routes) =>
      void routes.get('a', '/', async () => json(await Promise.all([priceOf('lamp'), priceOf('chair')]))),
    place: 'throw new RangeError(`No price for "${name}"`)',
    says: ['No price for "chair"', 'RangeError'],
  },
  {
    cause: 'The result of an async function is used without await.',
    routes: (routes) =>
      void routes.get('a', '/', () => {
        const price = unchecked(priceOf('lamp')) as number
        return text(price.toFixed(2))
      }),
    place: 'return text(price.toFixed(2))',
    says: ['price.toFixed is not a function'],
    hint: '`price.toFixed` is not a function: `price` is not a number',
  },
  {
    cause: 'The handler gives text() a promise.',
    routes: (routes) => void routes.get('a', '/', () => text(unchecked(priceOf('lamp')))),
    place: "routes.get('a', '/', () => text(unchecked(priceOf('lamp'))))",
    marked: null,
    says: ['has [Promise] as its body; put await before it'],
    hint: 'The response cannot be sent as it is',
  },
  {
    cause: 'A loop with for await walks over a promise of a list.',
    routes: (routes) =>
      void routes.get('a', '/', async () => {
        for await (const part of unchecked(Promise.resolve(['x'])) as AsyncIterable<string>) return text(part)
        return text('')
      }),
    place: 'for await (const part of unchecked(Promise.resolve',
    says: [/is not (?:async )?iterable/],
    hint: 'The value cannot be iterated',
  },
  {
    cause: 'A time limit of 5 ms is too short for the work.',
    routes: (routes) =>
      void routes.get('slow', '/', async () => {
        await pause(1000, undefined, { signal: AbortSignal.timeout(5) })
        return text('x')
      }),
    place: 'signal: AbortSignal.timeout(5)',
    marked: null,
    says: ['AbortError', 'TimeoutError'],
    hint: 'The work took longer than its time limit',
  },
  {
    cause: 'A stream of rows fails while it is piped.',
    routes: (routes) =>
      void routes.get('p', '/', async () => {
        const rows = Readable.from(
          (async function* rowsOf() {
            yield 'a'
            await pause(1)
            throw new Error('Row 2 is damaged')
          })(),
        )
        await pipeline(rows, new PassThrough().resume())
        return text('x')
      }),
    place: "throw new Error('Row 2 is damaged')",
    says: ['Row 2 is damaged'],
  },
  {
    cause: 'A stream is written to after its end.',
    routes: (routes) =>
      void routes.get('w', '/', async () => {
        const sink = new PassThrough()
        sink.end()
        const failed = once(sink, 'data')
        sink.write('late')
        await failed
        return text('x')
      }),
    place: "sink.write('late')",
    says: ['write after end'],
    hint: 'A stream was written to after its end',
  },
  {
    cause: 'An emitter reports an error, and nobody listens.',
    routes: (routes) =>
      void routes.get('e', '/', () => {
        new EventEmitter().emit('error', 'the printer is out of paper')
        return text('x')
      }),
    place: "emit('error', 'the printer is out of paper')",
    says: ['the printer is out of paper'],
    hint: 'An emitter reported an error and nothing was listening',
  },
  {
    cause: 'A stream of the web is read by two readers.',
    routes: (routes) =>
      void routes.get('r', '/', () => {
        const source = new ReadableStream<Uint8Array>()
        source.getReader()
        return json(unchecked(source.getReader()))
      }),
    place: 'return json(unchecked(source.getReader()))',
    says: [/locked/],
    hint: 'A stream is used twice, or after it was closed',
  },
  {
    cause: 'What is given to stream() is a list, not a stream.',
    routes: (routes) => void routes.get('s', '/', () => stream(unchecked(['a', 'b']))),
    place: "routes.get('s', '/', () => stream(unchecked(['a', 'b'])))",
    marked: null,
    says: ['as its body; use text, bytes or a stream'],
    hint: 'The response cannot be sent as it is',
  },
  {
    cause: 'A callback passes on an error of the system, which has no trace.',
    routes: (routes) =>
      void routes.get('c', '/', () => {
        const { promise, resolve, reject } = Promise.withResolvers<string>()
        readFile('no-such-price-list.csv', 'utf8', (error, content) => (error ? reject(error) : resolve(content)))
        return promise.then((content) => text(content))
      }),
    place: "routes.get('c', '/', () => {",
    marked: null,
    says: ['ENOENT', 'no-such-price-list.csv'],
    hint: 'File not found: no-such-price-list.csv',
  },
]
