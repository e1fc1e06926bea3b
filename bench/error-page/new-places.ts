// Copies of the faulty files, each loaded as separate modules, so that an error's frames lie in source that nobody has read.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Fault } from './faulty.ts'

/** The originals by name, with imports that hold a folder further down. */
const sources: ReadonlyMap<string, string> = new Map(
  ['faulty.ts', 'faulty-orders.ts'].map((name) => [
    name,
    readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll("'../../src/", "'../../../src/"),
  ]),
)

/** Makes the copies, in a folder beside this one. */
export class NewPlaces {
  readonly #directory: string
  #count = 0

  constructor() {
    this.#directory = mkdtempSync(join(import.meta.dirname, '../places-'))
  }

  /** The faults once more, thrown from their own files. */
  async next(): Promise<readonly Fault[]> {
    this.#count += 1
    const folder = join(this.#directory, String(this.#count))
    mkdirSync(folder)
    for (const [name, source] of sources) writeFileSync(join(folder, name), source)
    const { faults } = (await import(pathToFileURL(join(folder, 'faulty.ts')).href)) as {
      readonly faults: readonly Fault[]
    }
    return faults
  }

  /** Removes every copy. */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
