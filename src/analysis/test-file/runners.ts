// How a test is written for each runner.

export type TestRunner = 'node' | 'vitest'

export const testRunners: readonly TestRunner[] = ['node', 'vitest']

/** Lines and expressions of one runner. What they take is code. */
export interface RunnerCode {
  readonly imports: readonly string[]
  /** What is called with what is to be done after all tests. */
  readonly after: string
  readonly equal: (actual: string, expected: string) => string
  /** `message`: a sentence as code. Without one, the runner prints its own message. */
  readonly notEqual: (actual: string, expected: string, message?: string) => string
  readonly below: (actual: string, limit: number, message: string) => string
}

export const runnerCode: Readonly<Record<TestRunner, RunnerCode>> = {
  node: {
    imports: ["import assert from 'node:assert/strict'", "import { after, it } from 'node:test'"],
    after: 'after',
    equal: (actual, expected) => `assert.equal(${actual}, ${expected})`,
    notEqual: (actual, expected, message) =>
      `assert.notEqual(${[actual, expected, ...(message === undefined ? [] : [message])].join(', ')})`,
    below: (actual, limit, message) => `assert.ok(${actual} < ${limit}, ${message})`,
  },
  vitest: {
    imports: ["import { afterAll, expect, it } from 'vitest'"],
    after: 'afterAll',
    equal: (actual, expected) => `expect(${actual}).toBe(${expected})`,
    notEqual: (actual, expected, message) =>
      `expect(${message === undefined ? actual : `${actual}, ${message}`}).not.toBe(${expected})`,
    below: (actual, limit, message) => `expect(${actual}, ${message}).toBeLessThan(${limit})`,
  },
}
