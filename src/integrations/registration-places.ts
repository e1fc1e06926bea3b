// Where an application registers its routes and its middleware.

import type { DefinitionPlace } from '../framework/routing/definition-error.ts'
import { CallSites } from '../profiler/capture/call-site.ts'

/** Frameworks register on behalf of those who call them. */
const frameworks = /\/node_modules\/(?:express|router|fastify|@nestjs\/[\w-]+)\//

export class RegistrationPlaces {
  readonly #sites: CallSites
  readonly #known = new WeakMap<Error, DefinitionPlace | null>()

  constructor(projectRoot: string) {
    this.#sites = new CallSites(projectRoot)
  }

  /** By an error made at that time; `null` if only frameworks are in its stack. */
  of(registration: Error): DefinitionPlace | null {
    const known = this.#known.get(registration)
    if (known !== undefined) return known
    const [, file, line] = /^(.*):(\d+)$/.exec(this.#sites.find(registration, frameworks) ?? '') ?? []
    const place = file === undefined ? null : { file, line: Number(line) }
    this.#known.set(registration, place)
    return place
  }
}
