// Which functions allocated memory while a request ran: only of requests that asked for it.

import { StackFrames } from '../../errors/stack-frames.ts'
import { allocationsName, type AllocatedBytes, type Allocations } from '../../measuring/heap-profile.ts'
import { cutList } from '../profile-parts.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { byOrigin, nameFunction, withHandler, type CpuFunctionData } from './cpu.ts'

export interface MemoryData extends Omit<Allocations, 'functions'> {
  readonly functions: readonly (CpuFunctionData & Readonly<AllocatedBytes>)[]
}

/** `projectRoot` is absolute. */
export function memoryCollector(projectRoot: string): BuiltInCollector<MemoryData> {
  const frames = new StackFrames(projectRoot)
  return {
    name: allocationsName,
    collect: ({ route, parts: { allocations } }) => {
      if (allocations === undefined) return undefined
      const functions = withHandler(allocations.functions, route).map((one) =>
        Object.assign(nameFunction(one, frames), { selfBytes: one.selfBytes, totalBytes: one.totalBytes }),
      )
      functions.sort(
        (one, other) => byOrigin(one, other) || other.selfBytes - one.selfBytes || other.totalBytes - one.totalBytes,
      )
      return { ...allocations, functions }
    },
    cut: (data, maxBytes) => {
      const functions = cutList(data.functions, maxBytes)
      return { ...data, functions, dropped: data.dropped + data.functions.length - functions.length }
    },
  }
}
