// The public entry `fanlight/profiler`: recording, collecting and keeping profiles. Headless.

export type { Collector } from './profiler/collector.ts'
export type { ProfileReader } from './profiler/profile-reader.ts'
export type {
  GroupBy,
  PageRequest,
  ProfileFilter,
  ProfileGroup,
  ProfileGroups,
  ProfilePage,
  ProfileStore,
  ProfileStoreStats,
} from './profiler/profile-store.ts'
export type { CollectedSummary, Finding, Profile, ProfileSummary } from './profiler/profile.ts'
export { profiler, ProfilerPlugin } from './profiler/plugin.ts'
export type { ProfilerOptions } from './profiler/profiler-options.ts'
export { Profiler } from './profiler/profiler.ts'
export { ProfileWriter } from './profiler/profile-writer.ts'
export type { ProfileWriterOptions } from './profiler/profile-writer-options.ts'
export { Recorder, type RecorderOptions } from './profiler/recorder.ts'
export { Redactor } from './framework/redact/redactor.ts'
