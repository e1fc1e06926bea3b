// Lines of winston. It publishes nothing, so the method that all of its loggers write with is replaced.

import { keepLine, levelOf, printing } from '../../framework/kernel/keep-line.ts'
import { messageOf } from '../../framework/log/message-of.ts'
import type { LoadHook } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'

const values = Symbol.for('splat')

/** What winston leaves out because of a level, or because it is silent, is left out here. */
export const winstonLines: LoadHook = {
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
