// The public entry `fanlight/web-profiler`: what draws profiles.

export { html, SafeHtml } from './framework/html/html.ts'
export {
  badge,
  emptyState,
  formatBytes,
  formatDuration,
  formatTime,
  keyValueTable,
} from './framework/html/components.ts'
export type { Panel, PanelBadge, PanelView } from './profiler/web/panel.ts'
export { builtInPanels } from './profiler/web/panels/all.ts'
export { ProfilerAccess, type AccessQuestion, type ProfilerAccessOptions } from './profiler/web/profiler-access.ts'
export { ProfilerController } from './profiler/web/profiler-controller.ts'
export type { ProfilerControllerOptions } from './profiler/web/profiler-page.ts'
export { profilerRoutes } from './profiler/web/profiler-routes.ts'
