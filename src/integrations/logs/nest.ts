// Lines of the logger that Nest brings. It writes to the streams of the process, so the method that prints is replaced. A logger
// that the application gave to Nest is heard by its own means.

import type { LoadHook, Observer } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'
import { keepLine, levelOf } from './keep-line.ts'
import { messageOf } from './message-of.ts'
import type { Printing } from './printing.ts'

/** The context of a line is its channel: `OrdersService`. */
export function nestLines(printing: Printing): readonly LoadHook[] {
  const take = (ConsoleLogger: unknown, observer: Observer): void =>
    replaceMethod(Reflect.get(Object(ConsoleLogger), 'prototype'), 'printMessages', (logger, args, print) => {
      observer.guard('log lines: Nest', () => keepMessages(logger, args))
      return printing.run(print)
    })
  return [{ package: '@nestjs/common', file: 'services/console-logger.service.js', value: 'ConsoleLogger', take }]
}

function keepMessages(logger: object, args: readonly unknown[]): void {
  const [messages, context, level, , stack, params] = args
  // What Nest was told to mask is masked here as well.
  const mask: unknown = Reflect.get(logger, 'redactor')
  const masked = (value: unknown): unknown =>
    typeof mask === 'function' ? Reflect.apply(mask, logger, [value]) : value
  for (const message of Array.isArray(messages) ? messages : []) {
    keepLine(() => {
      const shown = messageOf([typeof message === 'function' ? message.name : masked(message)])
      const more = {
        ...(stack === undefined ? {} : { stack }),
        ...(params === undefined ? {} : { params: masked(params) }),
      }
      return {
        level: levelOf(level),
        channel: typeof context === 'string' && context !== '' ? context : 'nest',
        message: shown.message,
        context: { ...shown.context, ...more },
      }
    })
  }
}
