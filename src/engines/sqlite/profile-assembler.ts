// Makes profiles from the facts of requests, in the worker thread. What they are made with comes from the main
// thread, once for each worker.

import type { AssembledProfile, AssembleProfile, ProfileAssembly } from '../../profiler/assembling-store.ts'
import { ProfileRefusedError } from '../../profiler/profile-store.ts'

/** One write of facts, as it is sent to the worker. */
export interface FactsMessage {
  readonly id: number
  readonly facts: readonly unknown[]
  /** `null` where the worker has been told before. */
  readonly assembly: ProfileAssembly | null
}

/** Assembles as it was told last. */
export class ProfileAssembler {
  #assemble: Promise<AssembleProfile> | undefined

  /** Each profile is made when it is taken; taking throws `ProfileRefusedError` for facts that no profile can be made of. */
  async assemble({ facts, assembly }: FactsMessage): Promise<Iterable<AssembledProfile>> {
    if (assembly !== null) this.#assemble = load(assembly)
    if (this.#assemble === undefined) throw new Error('Facts came before what makes profiles of them')
    const assemble = await this.#assemble
    return facts.values().map((one) => {
      try {
        return assemble(one)
      } catch (error) {
        throw new ProfileRefusedError([tokenOf(one)], 'no profile can be made of it', { cause: error })
      }
    })
  }
}

async function load({ module, options }: ProfileAssembly): Promise<AssembleProfile> {
  const loaded = (await import(module)) as { createAssembler(options: unknown): AssembleProfile }
  return loaded.createAssembler(options)
}

function tokenOf(facts: unknown): string {
  return typeof facts === 'object' && facts !== null && 'token' in facts ? String(facts.token) : ''
}
