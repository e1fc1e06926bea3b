// Makes profiles from the facts of requests, in the worker thread. What they are made with comes from the main
// thread, once for each worker.

import type { AssembledProfile, AssembleProfiles, ProfileAssembly } from '../../profiler/assembling-store.ts'

/** One write of facts, as it is sent to the worker. */
export interface FactsMessage {
  readonly id: number
  readonly facts: unknown
  /** `null` where the worker has been told before. */
  readonly assembly: ProfileAssembly | null
}

/** Assembles as it was told last. */
export class ProfileAssembler {
  #assemble: Promise<AssembleProfiles> | undefined

  /** Each profile is made when it is taken; taking throws `ProfileRefusedError` for facts that no profile can be made of. */
  async assemble({ facts, assembly }: FactsMessage): Promise<Iterable<AssembledProfile>> {
    if (assembly !== null) this.#assemble = load(assembly)
    if (this.#assemble === undefined) throw new Error('Facts came before what makes profiles of them')
    const assemble = await this.#assemble
    return assemble(facts)
  }
}

async function load({ module, options }: ProfileAssembly): Promise<AssembleProfiles> {
  const loaded = (await import(module)) as { createAssembler(options: unknown): AssembleProfiles }
  return loaded.createAssembler(options)
}
