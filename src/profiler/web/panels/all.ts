// The built-in panels, in the order of the menu.

import type { Panel } from '../panel.ts'
import { accessPanel } from './access.ts'
import { aiPanel } from './ai.ts'
import { browserPanel } from './browser.ts'
import { cachePanel } from './cache.ts'
import { commandPanel } from './command.ts'
import { connectionsPanel } from './connections.ts'
import { configPanel } from './config.ts'
import { cpuPanel } from './cpu.ts'
import { databasePanel } from './database.ts'
import { dumpPanel } from './dump.ts'
import { eventsPanel } from './events.ts'
import { exceptionPanel } from './exception.ts'
import { graphqlPanel } from './graphql.ts'
import { httpClientPanel } from './http-client.ts'
import { jobPanel } from './job.ts'
import { jobsPanel } from './jobs.ts'
import { loggerPanel } from './logger.ts'
import { mailPanel } from './mail.ts'
import { memoryPanel } from './memory.ts'
import { requestPanel } from './request.ts'
import { routerPanel } from './router.ts'
import { sessionPanel } from './session.ts'
import { taskPanel } from './task.ts'
import { templatesPanel } from './templates.ts'
import { timePanel } from './time.ts'
import { validationPanel } from './validation.ts'

/** Each draws the data of the collector of its name; the profile keeps that pairing. */
export const builtInPanels: readonly Panel[] = [
  asPanel(requestPanel),
  asPanel(exceptionPanel),
  asPanel(browserPanel),
  asPanel(timePanel),
  asPanel(cpuPanel),
  asPanel(memoryPanel),
  asPanel(loggerPanel),
  asPanel(eventsPanel),
  asPanel(routerPanel),
  asPanel(sessionPanel),
  asPanel(accessPanel),
  asPanel(httpClientPanel),
  asPanel(databasePanel),
  asPanel(graphqlPanel),
  asPanel(cachePanel),
  asPanel(connectionsPanel),
  asPanel(templatesPanel),
  asPanel(mailPanel),
  asPanel(jobsPanel),
  asPanel(validationPanel),
  asPanel(aiPanel),
  asPanel(dumpPanel),
  asPanel(configPanel),
  asPanel(commandPanel),
  asPanel(jobPanel),
  asPanel(taskPanel),
]

// A profile's data is plain JSON that the collector of the same name wrote, so the panel's own type is the right one.
function asPanel<Data>(panel: Panel<Data>): Panel {
  return panel as Panel
}
