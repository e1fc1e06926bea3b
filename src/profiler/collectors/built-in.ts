// The built-in collectors that are content with the record of a request, made from plain data: the same ones in the main
// thread and in the thread of a store.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { RecordCollector } from '../request-record.ts'
import { commandCollector } from './command.ts'
import { configCollector, type ConfigData } from './config.ts'
import { cpuCollector } from './cpu.ts'
import { databaseCollector } from './database.ts'
import { dumpCollector } from './dump.ts'
import { eventsCollector, type ListenerMoments } from './events.ts'
import { exceptionCollector } from './exception.ts'
import { httpClientCollector } from './http-client.ts'
import { loggerCollector } from './logger.ts'
import { rememberedNesting } from './nest-spans.ts'
import { requestCollector } from './request.ts'
import { routerCollector, type RouterExplainer } from './router.ts'
import { timeCollector } from './time.ts'

/** What they need to know of the application: plain data. */
export interface RecordCollectorFacts {
  readonly config: ConfigData
  /** Those whose silence is worth a line: the application's own. */
  readonly listeners: readonly ListenerMoments[]
  /** Absolute. */
  readonly projectRoot: string
}

/** Makes them, in the order of a profile. Without an `explainer` nothing is asked for requests that no route took. */
export function createRecordCollectors(
  redactor: Redactor,
  { config, listeners, projectRoot }: RecordCollectorFacts,
  explainer: RouterExplainer = explainsNothing,
): readonly RecordCollector[] {
  const nest = rememberedNesting()
  return [
    requestCollector(redactor),
    exceptionCollector,
    timeCollector(redactor, nest),
    cpuCollector(projectRoot),
    loggerCollector,
    eventsCollector(listeners, nest),
    routerCollector(explainer, redactor),
    httpClientCollector,
    databaseCollector,
    dumpCollector(redactor, projectRoot),
    configCollector(config),
    commandCollector,
  ]
}

const explainsNothing: RouterExplainer = { explain: () => [], suggest: () => [] }
