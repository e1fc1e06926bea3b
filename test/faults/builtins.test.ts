// Builtins that an application changes are put aside for work of ours, however often they were looked at before.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withBuiltins } from '../../src/base/timing/builtins.ts'

const changes: Readonly<Record<string, readonly [holder: object, key: string | symbol, change: PropertyDescriptor]>> = {
  'another class': [globalThis, 'Date', { value: Map, writable: true }],
  'a method of a prototype': [String.prototype, 'trim', { value: () => 'patched', writable: true }],
  'a method with a symbol': [RegExp.prototype, Symbol.replace, { value: () => 'patched' }],
  'a function of a class': [Object, 'fromEntries', { value: () => 'patched' }],
  'a method that is read as another': [JSON, 'stringify', { get: () => () => 'patched' }],
  'a member that loops meet': [Object.prototype, 'theme', { value: 'dark', enumerable: true }],
  'toJSON() where there was none': [BigInt.prototype, 'toJSON', { value: () => 'patched' }],
  'what tells a size': [Map.prototype, 'size', { get: () => 7 }],
  'flags of an expression': [RegExp.prototype, 'flags', { get: () => 'g' }],
}

for (const looks of [0, 1000]) {
  describe(`withBuiltins after ${looks} looks`, () => {
    for (const [what, [holder, key, change]] of Object.entries(changes)) {
      it(`puts aside ${what}, and puts it back`, () => {
        for (let look = 0; look < looks; look += 1) withBuiltins(() => undefined)
        const before = Object.getOwnPropertyDescriptor(holder, key)
        Object.defineProperty(holder, key, { ...change, configurable: true })
        const changed = Object.getOwnPropertyDescriptor(holder, key)
        let within: PropertyDescriptor | undefined
        let after: PropertyDescriptor | undefined
        try {
          within = withBuiltins(() => Object.getOwnPropertyDescriptor(holder, key))
          after = Object.getOwnPropertyDescriptor(holder, key)
        } finally {
          if (before === undefined) Reflect.deleteProperty(holder, key)
          else Object.defineProperty(holder, key, before)
        }
        assert.deepEqual(within, before)
        assert.deepEqual(after, changed)
      })
    }
  })
}
