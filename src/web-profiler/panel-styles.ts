// The styles that panels borrow from the pages they share parts with.

import type { SafeHtml } from '../html/html.ts'
import { logStyles } from '../pages/log-table.ts'
import { suggestionStyles } from '../pages/suggestion-list.ts'
import { traceStyles } from '../pages/trace-list.ts'

/** For every profiler page. */
export const panelStyles: readonly SafeHtml[] = [traceStyles, logStyles, suggestionStyles]
