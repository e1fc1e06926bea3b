// Makes an application: reads what was given, and has it put together.

import { loadRuntimeContext } from '../framework/config/runtime-context.ts'
import { resolveRecordingRules } from '../profiler/keeping/recording-rules.ts'
import type { App } from './app.ts'
import { assembleApp } from './assemble-app.ts'
import { resolveOptions, type AppOptions } from './options.ts'

/** Makes an application. Rejects with one-line errors: a runtime context, a route table or a store that cannot be used. */
export async function createApp(given: AppOptions): Promise<App> {
  const options = resolveOptions(given)
  const context = given.context ?? loadRuntimeContext({ cwd: process.cwd(), env: process.env }).context
  const recording = resolveRecordingRules(options.recording, context.recording, context.env)
  return assembleApp({ given, options, context, recording })
}
