// The public entry `fanlight/web-profiler`: what draws profiles.

export { html, SafeHtml } from './html/html.ts'
export { badge, emptyState, formatBytes, formatDuration, formatTime, keyValueTable } from './html/components.ts'
export type { Panel, PanelBadge, PanelView } from './web-profiler/panel.ts'
export { builtInPanels } from './web-profiler/panels/all.ts'
export { ProfilerAccess, type AccessQuestion, type ProfilerAccessOptions } from './web-profiler/profiler-access.ts'
export { ProfilerController, type ProfilerControllerOptions } from './web-profiler/profiler-controller.ts'
export { profilerRoutes } from './web-profiler/profiler-routes.ts'
