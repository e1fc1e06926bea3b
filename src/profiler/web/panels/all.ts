// The built-in panels, in the order of the menu.

import { describedParts } from '../../described-parts.ts'
import type { Panel } from '../panel.ts'
import { describedPanel } from './described-panel.ts'
import { browserPanel } from './browser.ts'
import { configPanel } from './config.ts'
import { cpuPanel } from './cpu.ts'
import { databasePanel } from './database.ts'
import { exceptionPanel } from './exception.ts'
import { loggerPanel } from './logger.ts'
import { memoryPanel } from './memory.ts'
import { requestPanel } from './request.ts'
import { routerPanel } from './router.ts'
import { timePanel } from './time.ts'

/** Each draws the data of the collector of its name; the profile keeps that pairing. */
export const builtInPanels: readonly Panel[] = [
  asPanel(requestPanel),
  asPanel(exceptionPanel),
  ...described('findings'),
  asPanel(browserPanel),
  asPanel(timePanel),
  asPanel(cpuPanel),
  asPanel(memoryPanel),
  asPanel(loggerPanel),
  ...described('events'),
  asPanel(routerPanel),
  ...described('session', 'access', 'http-client'),
  asPanel(databasePanel),
  ...described('graphql', 'cache', 'connections', 'templates', 'mail', 'jobs', 'validation', 'ai', 'dump'),
  asPanel(configPanel),
  ...described('command', 'job', 'task'),
]

function described(...names: readonly string[]): readonly Panel[] {
  return names.flatMap((name) => describedParts.get(name) ?? []).map(describedPanel)
}

// A profile's data is plain JSON that the collector of the same name wrote, so the panel's own type is the right one.
function asPanel<Data>(panel: Panel<Data>): Panel {
  return panel as Panel
}
