// Lines of `console`, pino, winston and Nest's logger in the log of the profile, with the real packages.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { Writable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { installLoadHooks, logHooks } from '../../src/integrations/registration.ts'
import type { LogSink } from '../../src/index.ts'
import { fillPlaceholders, type LogRecord } from '../../src/base/log/logger.ts'
import { profileOf, startWorking, type Work } from '../support/captured.ts'
import { notingObserver } from '../support/integration-observer.ts'
import { pick } from '../support/pick.ts'

const observer = notingObserver()
installLoadHooks(logHooks, [], observer)
const older = createRequire(new URL('older/package.json', import.meta.url))
const { default: pino } = await import('pino')
const { default: winston } = await import('winston')
const { ConsoleLogger } = await import('@nestjs/common')
const { ConsoleLogger: OlderLogger } = older('@nestjs/common') as { readonly ConsoleLogger: typeof ConsoleLogger }

after(() => assert.deepEqual(observer.notes, []))

const secret = 'Bearer abcdefghijklmnop1234'

describe('log lines: console', () => {
  it('keeps each line once, with its level, as it is printed', async () => {
    const { lines, printed } = await logged(() => {
      console.log('Paid %d for %s', 5, 'tea')
      console.info('one', 2, null)
      console.debug({ name: 'tea' }, ['x'])
      console.warn('100%', 'sure')
      console.error(new TypeError('late'))
    })
    assert.deepEqual(pick(lines, 'level', 'channel', 'message'), [
      ['info', 'console', 'Paid 5 for tea'],
      ['info', 'console', 'one 2 null'],
      ['debug', 'console', '{value1} {value2}'],
      ['warn', 'console', '100% sure'],
      ['error', 'console', '{value1}'],
    ])
    assert.deepEqual(lines[2]?.context, { value1: { name: 'tea' }, value2: ['x'] })
    assert.match(JSON.stringify(lines[4]?.context), /TypeError.*late/)
    assert.deepEqual(lines.slice(-1).map(fillPlaceholders), ['TypeError: late'])
    assert.match(printed, /Paid 5 for tea\none 2 null\n/)
    assert.equal(printed.match(/Paid/g)?.length, 1)
  })

  it('keeps a line of the application once if its sink prints through console', async () => {
    const log: LogSink = { write: ({ message }) => message === 'own line' && console.info(message) }
    const { lines, printed } = await logged((exchange) => exchange.log.info('own line'), log)
    assert.deepEqual(pick(lines, 'channel', 'message'), [['app', 'own line']])
    assert.match(printed, /own line\n/)
  })

  it('masks secrets by their names and by their forms', async () => {
    const { lines, printed } = await logged(() => {
      console.log('login', { user: 'ada', password: 'hunter2' }, secret)
      console.log('%o', { token: 'hunter2' })
    })
    assert.doesNotMatch(JSON.stringify(lines), /hunter2|abcdefghijklmnop1234/)
    assert.match(printed, /hunter2.*abcdefghijklmnop1234/)
  })

  it('keeps what cannot be looked into, and what is very large, and the request goes on', async () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('not to be read')
        },
        ownKeys: () => {
          throw new Error('not to be read')
        },
      },
    )
    const { lines } = await logged(() => {
      console.log('%s', 'x'.repeat(1_000_000))
      try {
        console.log('hostile', hostile)
      } catch {
        // Node itself cannot print it.
      }
      console.log('after')
    })
    assert.equal(lines.at(-1)?.message, 'after')
    assert.ok(JSON.stringify(lines).length < 50_000)
  })
})

it('log lines: pino: keeps each line once, as pino has made it', async () => {
  const { stream, written } = sink()
  const logger = pino({ level: 'debug', redact: ['card.number'], customLevels: { audit: 35 } }, stream)
  const child = logger.child({ name: 'orders', requestId: 'r-1' })
  const { lines } = await logged(() => {
    logger.info('Paid %d', 5)
    logger.trace('left out')
    child.warn({ card: { number: 'n-123' }, password: 'hunter2', id: 7 }, 'Refused')
    child.error(new TypeError('late'))
    logger.audit('seen')
  })
  assert.deepEqual(pick(lines, 'level', 'channel', 'message'), [
    ['info', 'pino', 'Paid 5'],
    ['warn', 'orders', 'Refused'],
    ['error', 'orders', 'late'],
    ['info', 'pino', 'seen'],
  ])
  assert.equal(lines[1]?.context['requestId'], 'r-1')
  assert.equal(lines[1]?.context['id'], 7)
  assert.doesNotMatch(JSON.stringify(lines), /hunter2|n-123/)
  assert.match(JSON.stringify(lines[2]?.context), /TypeError/)
  assert.equal(written().match(/Paid 5/g)?.length, 1)
  assert.match(written(), /hunter2/)
})

it('log lines: winston: keeps what winston prints, once, with its fields', async () => {
  const { stream, written } = sink()
  const { format, transports, createLogger } = winston
  const logger = createLogger({
    level: 'info',
    format: format.combine(format.splat(), format.json()),
    transports: [new transports.Stream({ stream }), new transports.Console({ forceConsole: true })],
  })
  const child = logger.child({ orderId: 7 })
  const { lines } = await logged(() => {
    logger.info('Paid %d', 5, { label: 'till' })
    logger.debug('left out')
    child.warn('Refused', { password: 'hunter2' })
    logger.log({ level: 'error', message: secret })
    logger.silent = true
    logger.error('left out')
  })
  assert.deepEqual(
    lines.map(({ level, channel, message }) => [level, channel, message.replace(/Bearer.*/, 'masked')]),
    [
      ['info', 'winston', 'Paid 5 {value1}'],
      ['warn', 'winston', 'Refused'],
      ['error', 'winston', 'masked'],
    ],
  )
  assert.equal(lines[1]?.context['orderId'], 7)
  assert.doesNotMatch(JSON.stringify(lines), /hunter2|abcdefghijklmnop1234/)
  assert.equal(written().match(/Paid 5/g)?.length, 1)
})

describe("log lines: Nest's logger", () => {
  for (const [version, Logger] of [
    ['12', ConsoleLogger],
    ['11', OlderLogger],
  ] as const) {
    it(`keeps what the logger of Nest ${version} prints, once, with its context as channel`, async () => {
      const logger = new Logger('OrdersService', { logLevels: ['log', 'warn', 'error', 'verbose'] })
      const { lines, printed } = await logged(() => {
        logger.log('Paid')
        logger.debug('left out')
        logger.warn({ password: 'hunter2', id: 7 })
        logger.error('Refused', 'Error: Refused\n    at pay (app.ts:1:1)', 'Till')
        logger.verbose(secret)
      })
      assert.deepEqual(
        lines.map(({ level, channel, message }) => [level, channel, message.replace(/Bearer.*/, 'masked')]),
        [
          ['info', 'OrdersService', 'Paid'],
          ['warn', 'OrdersService', '{value1}'],
          ['error', 'Till', 'Refused'],
          ['trace', 'OrdersService', 'masked'],
        ],
      )
      assert.match(JSON.stringify(lines[2]?.context), /at pay/)
      assert.doesNotMatch(JSON.stringify(lines), /hunter2|abcdefghijklmnop1234/)
      assert.equal(printed.match(/Paid/g)?.length, 1)
    })
  }

  it('masks what Nest was told to mask, and keeps lines once that are printed through console', async () => {
    const logger = new ConsoleLogger('Till', { redact: ['number'], forceConsole: true })
    const { lines } = await logged(() => logger.log({ number: 'n-123' }))
    assert.equal(lines.length, 1)
    assert.doesNotMatch(JSON.stringify(lines), /n-123/)
  })
})

/** Lines of the profile of one request, without those of the library, and what the process printed meanwhile. */
async function logged(
  work: Work,
  log?: LogSink,
): Promise<{ readonly lines: readonly LogRecord[]; readonly printed: string }> {
  const { stdout, stderr } = process
  const usual = [stdout.write, stderr.write] as const
  let printed = ''
  const print = (chunk: unknown): boolean => {
    printed += String(chunk)
    return true
  }
  await using app = await startWorking(
    (exchange) => {
      stdout.write = print
      stderr.write = print
      try {
        return work(exchange)
      } finally {
        ;[stdout.write, stderr.write] = usual
      }
    },
    log === undefined ? {} : { log },
  )
  const profile = await profileOf(app)
  // Only the collector keeps something under the name.
  const { records } = profile.data['logger'] as { readonly records: readonly LogRecord[] }
  return { lines: records.filter(({ channel }) => channel !== 'router'), printed }
}

function sink(): { readonly stream: Writable; readonly written: () => string } {
  let written = ''
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk)
      done()
    },
  })
  return { stream, written: () => written }
}
