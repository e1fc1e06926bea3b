// Which functions allocated memory while a request ran: only of requests that asked for it.

import { StackFrames } from '../../errors/stack-frames.ts'
import { allocationsName, type Allocations } from '../../measuring/heap-profile.ts'
import { cutList } from '../profile-parts.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { nameFunction, withHandler, type CpuFunctionData } from './cpu.ts'

export interface AllocatingFunctionData extends CpuFunctionData {
  /** Bytes, estimated from samples. */
  readonly selfBytes: number
  readonly totalBytes: number
}

export interface MemoryData extends Omit<Allocations, 'functions'> {
  readonly functions: readonly AllocatingFunctionData[]
}

/** `projectRoot` is absolute. */
export function memoryCollector(projectRoot: string): BuiltInCollector<MemoryData> {
  const frames = new StackFrames(projectRoot)
  return {
    name: allocationsName,
    collect: ({ route, parts: { allocations } }) => {
      if (allocations === undefined) return undefined
      const functions = withHandler(allocations.functions, route).map((one) => {
        const { selfBytes, totalBytes } = one
        return Object.assign(nameFunction(one, frames), { selfBytes, totalBytes })
      })
      return { ...allocations, functions }
    },
    cut: (data, maxBytes) => {
      const functions = cutList(data.functions, maxBytes)
      return { ...data, functions, dropped: data.dropped + data.functions.length - functions.length }
    },
  }
}
