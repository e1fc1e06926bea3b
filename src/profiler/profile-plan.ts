// How an application's profiles are made: what runs in the main thread, and what may run in the thread of the store.

import type { Listener } from '../framework/kernel/listener.ts'
import { createAssembler, type AssemblyOptions } from './assemble-profile.ts'
import { momentsOf } from './collectors/events.ts'
import type { RecordTools } from './make-record.ts'
import type { ProfileAssembly } from './write-batch.ts'

/** Makes records and profiles. */
export interface ProfilePlan extends RecordTools, ProfileAssembly {}

/** What a plan is made from. */
export interface ProfilePlanInput extends RecordTools, Pick<AssemblyOptions, 'config' | 'projectRoot' | 'slowMs'> {
  /** The application's own. */
  readonly listeners: readonly Listener[]
}

/** Makes the plan. */
export function createProfilePlan(input: ProfilePlanInput): ProfilePlan {
  const { config, projectRoot, slowMs, listeners, ...tools } = input
  const rules = tools.redactor.added
  const options: AssemblyOptions = { config, projectRoot, rules, slowMs, listeners: listeners.map(momentsOf) }
  return { ...tools, ...createAssembler(options), options }
}
