// The styles and scripts that panels borrow from the pages they share parts with.

import type { SafeHtml } from '../../framework/html/html.ts'
import { copyScript, copyStyles } from '../../errors/page/copy-buttons.ts'
import { logFilterScript, logStyles } from '../../errors/page/log-table.ts'
import { suggestionStyles } from '../../errors/page/routing-help.ts'
import { traceStyles } from '../../errors/page/trace-list.ts'
import { repeatScript } from './export/repeat-section.ts'
import { callStyles } from './panels/call-bar.ts'
import { cpuScript } from './panels/cpu.ts'
import { flameScript, flameStyles } from './panels/flame-graph.ts'
import { shareStyles } from './panels/time-shares.ts'
import { timelineStyles, timelineScript } from './panels/timeline-bars.ts'
import { routesPageStyles } from './routes-view.ts'
import { menuScript } from './panel-menu.ts'
import { narrowFoldStyles } from './form-parts.ts'
import { surroundingsStyles } from './status/surroundings.ts'

export const panelStyles: readonly SafeHtml[] = [
  ...traceStyles,
  copyStyles,
  logStyles,
  suggestionStyles,
  timelineStyles,
  shareStyles,
  flameStyles,
  callStyles,
  routesPageStyles,
  surroundingsStyles,
  narrowFoldStyles,
]

/** For every profiler page; without them everything is there, too. */
export const panelScripts: readonly SafeHtml[] = [
  menuScript,
  logFilterScript,
  copyScript,
  repeatScript,
  timelineScript,
  flameScript,
  cpuScript,
]
