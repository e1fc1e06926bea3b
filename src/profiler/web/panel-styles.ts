// The styles and scripts that panels borrow from the pages they share parts with.

import type { SafeHtml } from '../../framework/html/html.ts'
import { logFilterScript, logStyles } from '../../errors/page/log-table.ts'
import { suggestionStyles } from '../../errors/page/routing-help.ts'
import { traceStyles } from '../../errors/page/trace-list.ts'
import { repeatScript } from './export/repeat-section.ts'
import { callStyles } from './panels/call-bar.ts'
import { cpuScript } from './panels/cpu.ts'
import { flameScript, flameStyles } from './panels/flame-graph.ts'
import { valueStyles } from './panels/value-view.ts'
import { shareStyles } from './panels/time-shares.ts'
import { timelineStyles, timelineScript } from './panels/timeline-bars.ts'
import { routesPageStyles } from './routes-view.ts'
import { surroundingsStyles } from './status/surroundings.ts'

export const panelStyles: readonly SafeHtml[] = [
  ...traceStyles,
  logStyles,
  suggestionStyles,
  timelineStyles,
  shareStyles,
  flameStyles,
  callStyles,
  valueStyles,
  routesPageStyles,
  surroundingsStyles,
]

/** For the pages of a profile, which are complete without them. */
export const panelScripts: readonly SafeHtml[] = [logFilterScript, repeatScript, timelineScript, flameScript, cpuScript]
