// The built-in panels, in the order of the menu.

import type { EditorLink } from '../../../errors/page/frame-item.ts'
import type { Panel } from '../panel.ts'
import { commandPanel } from './command.ts'
import { configPanel } from './config.ts'
import { createCpuPanel } from './cpu.ts'
import { createDatabasePanel } from './database.ts'
import { createDumpPanel } from './dump.ts'
import { eventsPanel } from './events.ts'
import { createExceptionPanel } from './exception.ts'
import { createHttpClientPanel } from './http-client.ts'
import { loggerPanel } from './logger.ts'
import { requestPanel } from './request.ts'
import { createRouterPanel } from './router.ts'
import { timePanel } from './time.ts'

/** What the panels may use. */
export interface BuiltInPanelsOptions {
  /** Makes links that open a place in the reader's editor. Default: none. */
  readonly editor?: EditorLink | undefined
}

/** Each draws the data of the collector of its name; the profile keeps that pairing. */
export const createBuiltInPanels = (options: BuiltInPanelsOptions = {}): readonly Panel[] => [
  asPanel(requestPanel),
  asPanel(createExceptionPanel(options.editor)),
  asPanel(timePanel),
  asPanel(createCpuPanel(options.editor)),
  asPanel(loggerPanel),
  asPanel(eventsPanel),
  asPanel(createRouterPanel(options.editor)),
  asPanel(createHttpClientPanel(options.editor)),
  asPanel(createDatabasePanel(options.editor)),
  asPanel(createDumpPanel(options.editor)),
  asPanel(configPanel),
  asPanel(commandPanel),
]

/** The same without links to an editor. */
export const builtInPanels: readonly Panel[] = createBuiltInPanels()

// A profile's data is plain JSON that the collector of the same name wrote, so the panel's own type is the right one.
function asPanel<Data>(panel: Panel<Data>): Panel {
  return panel as Panel
}
