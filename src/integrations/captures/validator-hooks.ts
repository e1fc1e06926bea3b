// Validators.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { LoadHook, Observer } from '../integration.ts'
import { replaceFunction, replaceMethod } from '../replace-method.ts'
import { observeAtFirstUse } from './observe-at-first-use.ts'
import { observe, observers } from './observers.ts'

const valibotMethods = ['parse', 'safeParse', 'parseAsync', 'safeParseAsync'] as const

export const validatorHooks: readonly LoadHook[] = [
  { package: 'valibot', file: 'dist/index.mjs', value: rebinding(valibotMethods), majors: [1], take: observeValibot },
  { package: 'valibot', file: 'dist/index.cjs', value: 'exports', majors: [1], take: observeValibot },
  { package: 'zod', file: 'v4/core/core.js', value: rebinding(['$constructor']), majors: [4], take: observeZod },
  { package: 'zod', file: 'v4/core/core.cjs', value: reexporting('$constructor'), majors: [4], take: observeZod },
  {
    package: 'ajv',
    file: 'dist/core.js',
    value: 'exports.default',
    take: (value, observer) =>
      observeAtFirstUse(value, { place: 'ajv', methods: ['compile', 'getSchema', 'compileAsync'], observe }, observer),
  },
]

/** An expression for an object through which the functions of a module can be read and replaced. */
function rebinding(names: readonly string[]): string {
  return `({ ${names.map((name) => `get ${name}() { return ${name} }, set ${name}(value) { ${name} = value }`).join(', ')} })`
}

/** The same for one function of a CommonJS file that has frozen what it exports: replacing it makes other exports, frozen too. */
function reexporting(name: string): string {
  const changed = `{ ...Object.getOwnPropertyDescriptors(exports), ${name}: { value, enumerable: true } }`
  return `({ get ${name}() { return ${name} }, set ${name}(value) { module.exports = Object.freeze(Object.create(Object.prototype, ${changed})) } })`
}

/** `parse(schema, input)` and the like. */
function observeValibot(functions: unknown): void {
  const check = checkOf('valibot')
  for (const name of valibotMethods) replaceFunction(functions, name, (_own, args, run) => check(args[1], run))
}

/** All schemas get their methods from one object, which is an argument of the function that makes the class of this name. */
function observeZod(functions: unknown, observer: Observer): void {
  const check = checkOf('zod')
  replaceFunction(functions, '$constructor', (_own, args, run) => {
    const [name, , methods] = args
    if (name === 'ZodType') {
      observer.guard('zod: schemas', () => {
        for (const method of ['parse', 'safeParse', 'parseAsync', 'safeParseAsync']) {
          replaceMethod(methods, method, (_schema, [input], parse) => check(input, parse))
        }
      })
    }
    return run()
  })
}

/** Reports what a validator finds in an input. */
function checkOf(library: string): (input: unknown, run: () => unknown) => unknown {
  let loaded: ReturnType<typeof observers> | undefined
  return (input, run) => {
    // What is checked outside of requests and jobs, as at the start, belongs to nobody.
    if (currentExchange() === undefined) return run()
    loaded ??= observers()
    return loaded.checkObserved(() => ({ library, part: null, input }), run, loaded.issuesIn)
  }
}
