// What several faults need: their own folder, waiting, and figures of many.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is removed when it is disposed of. */
export function makePlace(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'fanlight-faults-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Waits. */
export function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000))
}

/** `99.74 %` */
export function percent(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${((part / whole) * 100).toFixed(2)} %`
}

/** The value below which this share (0–1) of the values lies; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
