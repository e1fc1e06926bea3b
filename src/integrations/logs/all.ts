// Loggers that publish nothing.

import { keepLine, levelOf, printing, messageOf } from '../../framework/kernel/keep-line.ts'
import type { LoadHook } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'

const values = Symbol.for('splat')

/** What winston leaves out because of a level, or because it is silent, is left out here. */
const winstonLines: LoadHook = {
  package: 'winston',
  file: 'lib/winston/logger.js',
  value: 'module.exports',
  take: (Logger, observer) =>
    replaceMethod(Reflect.get(Object(Logger), 'prototype'), 'write', (logger, args, write) => {
      observer.guard('log lines: winston', () => keepInfo(logger, args[0]))
      return printing(write)
    }),
}

function keepInfo(logger: object, info: unknown): void {
  if (typeof info !== 'object' || info === null || Reflect.get(logger, 'silent') === true) return
  const isEnabled: unknown = Reflect.get(logger, 'isLevelEnabled')
  const { level, message, label, ...context } = info as Readonly<Record<string, unknown>>
  if (typeof isEnabled === 'function' && Reflect.apply(isEnabled, logger, [level]) === false) return
  keepLine(() => {
    const given: unknown = Reflect.get(info, values)
    const formatted = messageOf([
      message,
      ...(Array.isArray(given) && /%[sdifjoOc]/.test(String(message)) ? given : []),
    ])
    return {
      level: levelOf(level),
      channel: typeof label === 'string' ? label : 'winston',
      message: formatted.message,
      context: { ...context, ...formatted.context },
    }
  })
}

/** The context of a line is its channel: `OrdersService`. */
const nestLines: LoadHook = {
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

export const logHooks: readonly LoadHook[] = [winstonLines, nestLines]
