// What `fanlight/register` does in a process where it is on: every server, every framework and every driver is observed without a
// line in the application.

import { ownVariables } from '../http/config/own-variables.ts'
import { requireBeside } from '../http/kernel/lazy.ts'
import { captureHooks } from './captures/capture-hooks.ts'
import { integrations } from './frameworks/all.ts'
import { sharedParts } from './process-wide.ts'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Integration, Observer, LoadHook } from './integration.ts'
import { keepLine, levelOf, printing, messageOf } from '../http/kernel/keep-line.ts'
import { replaceMethod } from './replace-method.ts'
import { membersOf } from '../base/members.ts'
import { createRequire, Module, registerHooks, type LoadFnOutput, type LoadHookSync } from 'node:module'

/** Once for the process. Nothing is opened before the first request of a server. */
export function register(): void {
  if (process.env[ownVariables.devFolder] !== undefined) requireBeside('dev-process', import.meta.url)
  const shared = sharedParts()
  if (shared === null) return
  shared.start(undefined)
  for (const integration of integrations) shared.subscribe(integration)
  shared.once('register', () => {
    const { observer } = shared
    const hooks = [...integrations.flatMap(({ loadHooks = [] }) => loadHooks), ...captureHooks, ...logHooks]
    const packages = integrations.map((integration) => integration.package)
    const seen = installLoadHooks(hooks, packages, observer)
    shared.beforeFirstRequest(() => {
      for (const integration of integrations) {
        const folders = seen.foldersOf(integration.package)
        for (const folder of folders) noteUntested(integration, folder, observer)
        if (folders.length === 0) integration.meet?.(observer)
      }
      if (packages.every((name) => seen.foldersOf(name).length === 0))
        observer.note(whyNoFramework(process.argv[1] ?? ''))
    })
  })
}

/** What bundlers keep of the code of a framework, whatever they rename. */
const ownTexts: Readonly<Record<string, string>> = {
  Express: 'express:application',
  Fastify: 'FST_ERR_BAD_URL',
  Hono: 'Context is not finalized',
  Koa: 'koa:application',
  Nest: 'Nest application successfully started',
}

/** Looks into the program's main file. */
function whyNoFramework(main: string): string {
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
  const text = existsSync(main) ? readFileSync(main, 'utf8') : ''
  const bundled = Object.keys(ownTexts).filter((framework) => text.includes(String(ownTexts[framework])))
  if (bundled.length === 0) return 'No framework was loaded from node_modules: requests have no routes and no steps.'
  return `A bundler made ${bundled.join(' and ')} part of ${main}: only what publishes channels is seen there (Express 5, Fastify, pino). Call fanlight(app) in its code, or leave packages out of the bundle.`
}

/** `folder`: URL of the folder that the package was loaded from. */
function noteUntested({ framework, tested, missingBefore }: Integration, folder: string, observer: Observer): void {
  observer.guard(`${framework}: version`, () => {
    const { readFileSync } = process.getBuiltinModule('node:fs')
    const text = readFileSync(`${fileURLToPath(folder)}package.json`, 'utf8')
    const version = String(membersOf(JSON.parse(text)).version)
    if (isTested(version, tested)) return
    const isBefore = Number.parseInt(version, 10) < Number.parseInt(tested[0] ?? '', 10)
    const limit = (isBefore ? missingBefore : undefined) ?? 'what is shown may be incomplete'
    observer.note(`${framework} ${version} was not tested, but ${tested.join(' and ')}; ${limit}`)
  })
}

function isTested(version: string, tested: readonly string[]): boolean {
  const number = numberOf(version)
  return tested.some((range) => {
    const [oldest = '', newest = oldest] = range.split(' to ')
    return numberOf(oldest) <= number && number <= numberOf(newest)
  })
}

/** Orders versions; a pre-release counts as its release. */
function numberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number)
  return (major * 1e4 + minor) * 1e4 + patch
}

const values = Symbol.for('splat')

/** What winston leaves out because of a level, or because it is silent, is left out here. */
const winstonLines: LoadHook = {
  package: 'winston',
  file: 'lib/winston/logger.js',
  value: 'module.exports',
  take: (Logger, observer) =>
    replaceMethod(Reflect.get(Object(Logger), 'prototype'), 'write', (logger, args, write) => {
      observer.guard('log lines: winston', () => keepInfo(logger, args[0]))
      return printing(write)
    }),
}

function keepInfo(logger: object, info: unknown): void {
  if (typeof info !== 'object' || info === null || Reflect.get(logger, 'silent') === true) return
  const isEnabled: unknown = Reflect.get(logger, 'isLevelEnabled')
  const { level, message, label, ...context } = membersOf(info)
  if (typeof isEnabled === 'function' && Reflect.apply(isEnabled, logger, [level]) === false) return
  keepLine(() => {
    const given: unknown = Reflect.get(info, values)
    const formatted = messageOf([
      message,
      ...(Array.isArray(given) && /%[sdifjoOc]/.test(String(message)) ? given : []),
    ])
    return {
      level: levelOf(level),
      channel: typeof label === 'string' ? label : 'winston',
      message: formatted.message,
      context: { ...context, ...formatted.context },
    }
  })
}

/** The context of a line is its channel: `OrdersService`. */
const nestLines: LoadHook = {
  package: '@nestjs/common',
  file: 'services/console-logger.service.js',
  value: 'ConsoleLogger',
  take: (ConsoleLogger, observer) =>
    replaceMethod(Reflect.get(Object(ConsoleLogger), 'prototype'), 'printMessages', (logger, args, print) => {
      observer.guard('log lines: Nest', () => keepMessages(logger, args))
      return printing(print)
    }),
}

function keepMessages(logger: object, args: readonly unknown[]): void {
  const [messages, context, level, , stack, params] = args
  // What Nest was told to mask is masked here as well.
  const mask: unknown = Reflect.get(logger, 'redactor')
  const masked = (value: unknown): unknown =>
    typeof mask === 'function' ? Reflect.apply(mask, logger, [value]) : value
  for (const message of Array.isArray(messages) ? messages : []) {
    keepLine(() => {
      const shown = messageOf([typeof message === 'function' ? message.name : masked(message)])
      const more = {
        ...(stack === undefined ? {} : { stack }),
        ...(params === undefined ? {} : { params: masked(params) }),
      }
      return {
        level: levelOf(level),
        channel: typeof context === 'string' && context !== '' ? context : 'nest',
        message: shown.message,
        context: { ...shown.context, ...more },
      }
    })
  }
}

export const logHooks: readonly LoadHook[] = [winstonLines, nestLines]

/** What the load hooks have seen so far. */
export interface SeenPackages {
  /** URLs of the folders that files of this package were loaded from, below `node_modules`: `file:///app/node_modules/koa/`. */
  foldersOf(name: string): readonly string[]
}

/** Under this name the appended statements find the function that they call. */
const calledByModules = Symbol.for('fanlight.loaded')

/**
 * Installs them for this thread. `packages` are looked out for as well, without a hook. A file of the table that is not in
 * its package, or has no such value, becomes a note.
 */
export function installLoadHooks(
  hooks: readonly LoadHook[],
  packages: readonly string[],
  observer: Observer,
): SeenPackages {
  const table = new LoadHookTable(hooks, packages, observer)
  Object.defineProperty(globalThis, calledByModules, { value: table.take, configurable: true })
  registerHooks({ load: table.load })
  observeCompiling(table)
  return table
}

/**
 * With load hooks these versions give imported CommonJS a `require` that has no `cache` and fails in packages of several files.
 * Node's own name for the format leads to the ordinary `require`, which asks the hooks again.
 */
const isRequireBroken = /^(?:22\.(?:1[89]|2[01])\.|22\.22\.[0-2]$|24\.11\.)/.test(process.versions.node)

type Compile = (this: NodeJS.Module, source: unknown, ...rest: readonly unknown[]) => unknown

/**
 * Loaders that read and compile CommonJS themselves (tsx) call no load hook; all of them hand it to `_compile` of the module. Only
 * modules of the table have another one, so no frame of ours is in the stacks of the application.
 */
function observeCompiling(table: LoadHookTable): void {
  const prototype = Object(Module.prototype) as { _compile: Compile }
  let original = prototype._compile
  // Stacks name it as before: Node's function has its name from the property that holds it.
  Object.defineProperty(original, 'name', { value: '_compile', configurable: true })
  const observed: Compile = function (source, ...rest) {
    return original.call(this, table.compile(this.filename, source), ...rest)
  }
  Object.defineProperty(prototype, '_compile', {
    configurable: true,
    enumerable: true,
    get(this: NodeJS.Module): Compile {
      return table.isOf(this.filename) ? observed : original
    },
    // Others replace it, for all modules or for one.
    set(this: object, value: Compile) {
      if (this === prototype) original = value
      else Object.defineProperty(this, '_compile', { value, configurable: true, enumerable: true, writable: true })
    },
  })
}

class LoadHookTable implements SeenPackages {
  readonly #hooks: readonly LoadHook[]
  readonly #observer: Observer
  /** Places in the list of hooks, by file, by package. */
  readonly #files = new Map<string, Map<string, number[]>>()
  /** Major versions of packages, by folder; `NaN` if unknown. */
  readonly #folders = new Map<string, number>()

  constructor(hooks: readonly LoadHook[], packages: readonly string[], observer: Observer) {
    this.#hooks = hooks
    this.#observer = observer
    for (const name of packages) this.#files.set(name, new Map())
    for (const [index, hook] of hooks.entries()) {
      const files = this.#files.get(hook.package) ?? new Map<string, number[]>()
      this.#files.set(hook.package, files)
      files.set(hook.file, [...(files.get(hook.file) ?? []), index])
    }
    for (const path of Object.keys(createRequire(import.meta.url).cache)) {
      if (!this.isOf(path)) continue
      const { package: name } = placeOf(pathToFileURL(path).href)
      observer.note(`${name} was loaded before fanlight/register: require that first, or ${incomplete}`)
    }
  }

  foldersOf(name: string): readonly string[] {
    return [...this.#folders.keys()].filter((folder) => folder.endsWith(`${nodeModules}${name}/`))
  }

  readonly load: LoadHookSync = (url, context, nextLoad) => {
    const loaded = isRequireBroken ? loadedForRequire(url, context, nextLoad) : nextLoad(url, context)
    if (loaded.format === 'commonjs-sync') return loaded
    return this.#observer.guard('a module that is loaded', () => this.#change(url, loaded)) ?? loaded
  }

  #change(url: string, loaded: LoadFnOutput): LoadFnOutput {
    const indices = this.#hooksOf(url)
    if (indices === undefined) return loaded
    if (!url.startsWith('node:')) return { ...loaded, source: this.#append(sourceOf(loaded, url), indices) }
    this.#files.get(url)?.clear()
    for (const index of indices) this.take(index, () => process.getBuiltinModule(url))
    return loaded
  }

  /** Whether a file of CommonJS has hooks. Never throws. */
  isOf(path: unknown): boolean {
    return this.#observer.guard('a module that is compiled', () => this.#hooksOfPath(path)) !== undefined
  }

  compile(path: unknown, source: unknown): unknown {
    const indices = this.#hooksOfPath(path)
    return typeof source === 'string' && indices !== undefined ? this.#append(source, indices) : source
  }

  #hooksOfPath(path: unknown): readonly number[] | undefined {
    if (typeof path !== 'string' || !path.includes('node_modules')) return undefined
    return this.#hooksOf(pathToFileURL(path).href)
  }

  /** Places in the list of hooks of one file; looks at its package when it is met for the first time. */
  #hooksOf(url: string): readonly number[] | undefined {
    const place = placeOf(url)
    const files = this.#files.get(place.package)
    if (files !== undefined && !this.#folders.has(place.folder)) this.#meet(place)
    const major = this.#folders.get(place.folder) ?? NaN
    // An older version may have a file of that name, with something else in it.
    const hooks = files?.get(place.file)?.filter((index) => !(major < Math.min(...(this.#hooks[index]?.majors ?? [0]))))
    return hooks?.length === 0 ? undefined : hooks
  }

  /** Once: what a load hook changed may be compiled after that. */
  #append(source: string, indices: readonly number[]): string {
    if (source.includes(calledByModules.description ?? '')) return source
    return `${source}\n${indices.map((index) => this.#statement(index, source)).join('')}`
  }

  /** Called by the appended statements. Never throws. */
  readonly take = (index: number, read: () => unknown): void => {
    const hook = this.#hooks[index]
    if (hook === undefined) return
    const { package: name, file, value } = hook
    let given: unknown
    try {
      given = read()
    } catch {
      // Without the value it has no such name.
    }
    if (given === undefined)
      this.#observer.note(
        `${name}: ${file} has no ${typeof value === 'string' ? value : 'such value'} in this version; ${incomplete}`,
      )
    else this.#observer.guard(`${name}: ${file}`, () => hook.take(given, this.#observer))
  }

  #statement(index: number, source: string): string {
    const { value = '' } = this.#hooks[index] ?? {}
    const read = typeof value === 'string' ? value : value(source)
    // Compilers such as tsx shorten names, but for those that are exported.
    const exported = /^\w+$/.test(read) ? `module.exports.${read}` : 'undefined'
    return `;try{globalThis[Symbol.for('${calledByModules.description}')](${index},()=>{try{return ${read}}catch{return ${exported}}})}catch{}\n`
  }

  /** Looks into the folder of a package once, for files that the table names and the package does not have. */
  #meet({ package: name, folder }: Place): void {
    this.#folders.set(folder, NaN)
    this.#observer.guard(`${name}: version`, () => {
      const hooks = this.#hooks.filter((hook) => hook.package === name && hook.file !== '')
      if (hooks.length === 0) return
      const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
      const path = fileURLToPath(folder)
      const version = String(membersOf(JSON.parse(readFileSync(`${path}package.json`, 'utf8'))).version)
      const major = Number.parseInt(version, 10)
      this.#folders.set(folder, major)
      for (const { file, majors } of hooks) {
        if (majors?.includes(major) === false || existsSync(path + file)) continue
        this.#observer.note(`${name} ${version} has no file ${file}; ${incomplete}`)
      }
    })
  }
}

const incomplete = 'what is shown of it may be incomplete'

interface Place {
  readonly package: string
  /** URL of the package's folder, with a slash at its end. */
  readonly folder: string
  readonly file: string
}

const nodeModules = '/node_modules/'

function placeOf(url: string): Place {
  if (url.startsWith('node:')) return { package: url, folder: url, file: '' }
  const start = url.lastIndexOf(nodeModules)
  if (start === -1) return { package: '', folder: '', file: '' }
  const begin = start + nodeModules.length
  const slash = url.indexOf('/', begin)
  const end = url[begin] === '@' ? url.indexOf('/', slash + 1) : slash
  const query = url.search(/[?#]/)
  const file = url.slice(end + 1, query === -1 ? undefined : query)
  return { package: url.slice(begin, end), folder: url.slice(0, end + 1), file }
}

/** Imported CommonJS leaves the hooks by Node's own name for it. */
function loadedForRequire(...[url, context, nextLoad]: Parameters<LoadHookSync>): LoadFnOutput {
  const isImported = [...context.conditions].includes('import')
  try {
    const loaded = nextLoad(url, context)
    return isImported && loaded.format === 'commonjs' ? { ...loaded, format: 'commonjs-sync' } : loaded
  } catch (error) {
    // The oldest of these versions refuse CommonJS whose source a loader in another thread leaves to Node.
    const isLeft = Reflect.get(Object(error), 'code') === 'ERR_INVALID_RETURN_PROPERTY_VALUE'
    if (!isImported || !isLeft || !url.startsWith('file:')) throw error
    return { format: 'commonjs-sync', source: sourceOf({ format: 'commonjs' }, url), shortCircuit: true }
  }
}

/** Loaders that run in another thread leave it to Node to read a CommonJS file. */
function sourceOf({ source }: LoadFnOutput, url: string): string {
  if (typeof source === 'string') return source
  if (source === null || source === undefined) {
    return process.getBuiltinModule('node:fs').readFileSync(fileURLToPath(url), 'utf8')
  }
  return new TextDecoder().decode(source)
}
