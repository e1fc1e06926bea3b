// The public entry `fanlight/profiler`: options of the profiler, and what collectors and panels are made of.

export { badge, emptyState, formatBytes, formatDuration, keyValueTable } from './base/html/components.ts'
export type { Collector } from './observe/collector.ts'
export { profiler } from './app/plugins/profiler.ts'
export type { ProfileReader } from './profiles/profile-store.ts'
export type { Profile } from './observe/profile.ts'
export type { ProfilerOptions } from './app/profiler-options.ts'
export type { Panel } from './pages/panel.ts'
