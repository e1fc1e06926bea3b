// Validators: schemas with the Standard Schema interface, `valibot` and `zod` among them, and `ajv`.

import type { StandardIssue } from '../../../framework/kernel/standard-schema.ts'
import { checkObserved, checkUnobserved, issuesIn } from '../validations.ts'
import type { Observable } from './observable.ts'
import { hasMethods, wrapMethod } from './wrap-method.ts'

/** The methods of a schema of zod, and the one that `parse` and others of valibot call. */
const checkingMethods = ['parse', 'safeParse', 'parseAsync', 'safeParseAsync'] as const

export const standardSchema: Observable = {
  what: 'a schema of valibot, zod and other validators with the Standard Schema interface',
  fits: (target) => standardOf(target) !== undefined,
  observe: (target) => {
    const standard = standardOf(target)
    if (standard === undefined) return
    const { vendor } = standard
    for (const name of checkingMethods) observeCheck(target, name, vendor, ([input]) => input)
    observeCheck(target, '~run', vendor, ([dataset]) => Reflect.get(Object(dataset), 'value'))
    // A getter of some validators makes a new object each time: a similar one takes its place.
    const own = { ...standard }
    observeCheck(own, 'validate', vendor, ([input]) => input)
    Object.defineProperty(target, '~standard', { value: own, configurable: true, enumerable: true, writable: true })
  },
}

interface Standard {
  readonly vendor: string
  readonly validate: unknown
}

function standardOf(target: object): Standard | undefined {
  const standard = Reflect.get(target, '~standard') as Partial<Standard> | undefined
  return typeof standard?.vendor === 'string' && typeof standard.validate === 'function'
    ? (standard as Standard)
    : undefined
}

function observeCheck(
  target: object,
  name: string,
  library: string,
  inputOf: (args: readonly unknown[]) => unknown,
): void {
  wrapMethod(target, name, (_own, args, run) =>
    checkObserved(() => ({ library, part: null, input: inputOf(args) }), run, issuesIn),
  )
}

export const ajv: Observable = {
  what: 'an Ajv',
  fits: (target) => hasMethods(target, ['compile', 'compileAsync', 'addKeyword', 'addSchema', 'getSchema']),
  observe: (target) => {
    // Compiling a schema checks the schema itself.
    for (const name of ['compile', 'getSchema']) {
      wrapMethod(target, name, (_own, _args, run) => checking(checkUnobserved(run)))
    }
    wrapMethod(target, 'compileAsync', async (_own, _args, run) => checking(await run()))
  },
}

const isChecking = Symbol('reports what it checks')

/** The same function that checks; it reports what it finds. */
function checking(validate: unknown): unknown {
  if (typeof validate !== 'function' || isChecking in validate) return validate
  return new Proxy(validate, {
    has: (check, name) => name === isChecking || name in check,
    apply: (check, own, args) =>
      checkObserved(
        () => ({ library: 'ajv', part: null, input: args[0] }),
        () => Reflect.apply(check, own, args) as unknown,
        (outcome) =>
          ajvIssues(outcome === false ? Reflect.get(check, 'errors') : Reflect.get(Object(outcome), 'errors')),
      ),
  })
}

function ajvIssues(errors: unknown): readonly StandardIssue[] | undefined {
  if (!Array.isArray(errors)) return undefined
  return errors.map((error: unknown) => {
    const { instancePath, message } = Object(error) as { readonly instancePath?: unknown; readonly message?: unknown }
    const path = typeof instancePath === 'string' ? instancePath.split('/').slice(1) : []
    return {
      path: path.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
      message: typeof message === 'string' ? message : 'is not valid',
    }
  })
}
