// The built-in collectors: functions of a record, so that they can run in the thread of a store.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { configCollector, type ConfigData } from './config.ts'
import { cpuCollector } from './cpu.ts'
import { databaseCollector } from './database.ts'
import { dumpCollector } from './dump.ts'
import { eventsCollector, type ListenerMoments } from './events.ts'
import { exceptionCollector } from './exception.ts'
import { httpClientCollector } from './http-client.ts'
import { loggerCollector } from './logger.ts'
import { requestCollector } from './request.ts'
import { routerCollector } from './router.ts'
import { timeCollector } from './time.ts'

/** Facts of the application: plain data. */
export interface BuiltInOptions {
  readonly config: ConfigData
  /** The application's listeners, with the moments they listen to. */
  readonly listeners: readonly ListenerMoments[]
  /** Absolute. */
  readonly projectRoot: string
}

/** Creates them, in the order of a profile. */
export function createBuiltInCollectors(
  redactor: Redactor,
  { config, listeners, projectRoot }: BuiltInOptions,
): readonly BuiltInCollector[] {
  return [
    requestCollector(redactor),
    exceptionCollector,
    timeCollector(redactor),
    cpuCollector(projectRoot),
    loggerCollector,
    eventsCollector(listeners),
    routerCollector(redactor),
    httpClientCollector(redactor),
    databaseCollector(redactor),
    dumpCollector(redactor, projectRoot),
    configCollector(config),
    { name: 'command', collect: ({ parts }) => parts.command },
  ]
}
