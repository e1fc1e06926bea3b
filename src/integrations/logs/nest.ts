// Lines of the logger that Nest brings. It writes to the streams of the process, so the method that prints is replaced. A logger
// that the application gave to Nest is heard by its own means.

import { keepLine, levelOf, printing } from '../../framework/kernel/keep-line.ts'
import { messageOf } from '../../framework/log/message-of.ts'
import type { LoadHook } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'

/** The context of a line is its channel: `OrdersService`. */
export const nestLines: LoadHook = {
  package: '@nestjs/common',
  file: 'services/console-logger.service.js',
  value: 'ConsoleLogger',
  take: (ConsoleLogger, observer) =>
    replaceMethod(Reflect.get(Object(ConsoleLogger), 'prototype'), 'printMessages', (logger, args, print) => {
      observer.guard('log lines: Nest', () => keepMessages(logger, args))
      return printing(print)
    }),
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
