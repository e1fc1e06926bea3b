// The public entry `fanlight/profiler`: options of the profiler, and what collectors and panels are made of.

export { badge, emptyState, formatBytes, formatDuration, keyValueTable } from './framework/html/components.ts'
export type { Collector } from './profiler/collector.ts'
export { profiler } from './profiler/plugin.ts'
export type { ProfileReader } from './profiler/profile-store.ts'
export type { Profile } from './profiler/profile.ts'
export type { ProfilerOptions } from './profiler/profiler-options.ts'
export type { Panel } from './profiler/web/panel.ts'
