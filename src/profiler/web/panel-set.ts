// The panels of a profiler in the order of the menu, found by name.

import type { Panel } from './panel.ts'

/** An ordered set of panels. Names come from requests, so they are looked up in a Map (SECURITY R12). */
export class PanelSet {
  readonly #panels: ReadonlyMap<string, Panel>

  /** A later panel of the same name takes the place of an earlier one. */
  constructor(panels: readonly Panel[]) {
    this.#panels = new Map(panels.map((panel) => [panel.name, panel]))
  }

  /** The panel of a name, or `undefined`. */
  find(name: string): Panel | undefined {
    return this.#panels.get(name)
  }

  /** All of them, in the order of the menu. */
  all(): readonly Panel[] {
    return [...this.#panels.values()]
  }
}
