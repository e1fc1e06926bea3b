// The styles and scripts that panels borrow from the pages they share parts with.

import type { SafeHtml } from '../../base/html/html.ts'
import { traceStyles } from '../../errors/page/error-page-styles.ts'
import { logFilterScript, logFilterStyles } from '../../errors/page/log-filter.ts'
import { logStyles } from '../../errors/page/log-table.ts'
import { runAgainScript } from '../../errors/page/run-again.ts'
import { describedParts } from '../parts.ts'
import type { PanelAssets } from '../../pages/profiler-page.ts'
import { blockStyles } from '../../pages/draw-blocks.ts'
import { callStyles } from '../../pages/panels/call-bar.ts'
import { flameScript, flameStyles } from '../../pages/panels/flame-graph.ts'
import { followScript, valueStyles } from '../../pages/panels/value-view.ts'
import { shareStyles } from '../../pages/panels/time-shares.ts'
import { timelineStyles, timelineScript } from '../../pages/panels/timeline-bars.ts'

const assets: ReadonlyMap<string, PanelAssets> = new Map<string, PanelAssets>([
  ['exception', { styles: traceStyles }],
  ['time', { styles: [logStyles, logFilterStyles, timelineStyles, shareStyles], scripts: [timelineScript] }],
  ['logger', { styles: [logStyles, logFilterStyles], scripts: [logFilterScript] }],
  ['database', { styles: [callStyles, blockStyles] }],
  ...[...describedParts.keys()].map(
    (name) => [name, { styles: [callStyles, valueStyles, blockStyles], hasFrames: name === 'mail' }] as const,
  ),
  ['cpu', { styles: [blockStyles, timelineStyles, flameStyles], scripts: [flameScript, runAgainScript] }],
  ['memory', { styles: [blockStyles], scripts: [runAgainScript] }],
  ['code', { styles: [callStyles, valueStyles, blockStyles], scripts: [runAgainScript, followScript] }],
  ['router', { styles: [blockStyles] }],
])

/** What the page of a panel needs beyond the theme; nothing for panels of plugins. */
export function panelAssets(name: string | undefined): PanelAssets {
  return assets.get(name ?? '') ?? { styles: [] }
}

/** For a page of many panels. */
export const everyPanelStyle: readonly SafeHtml[] = [...new Set([...assets.values()].flatMap(({ styles }) => styles))]
