// What `fanlight/register` does in a process where it is on: every server, every framework and every driver is observed without a
// line in the application.

import { ownVariables } from '../http/config/own-variables.ts'
import { requireBeside } from '../http/kernel/lazy.ts'
import { captureHooks } from './captures/capture-hooks.ts'
import { integrations } from './frameworks/all.ts'
import { installLoadHooks } from './load-hooks.ts'
import { sharedParts } from './process-wide.ts'
import { fileURLToPath } from 'node:url'
import type { Integration, Observer, LoadHook } from './integration.ts'
import { keepLine, levelOf, printing, messageOf } from '../http/kernel/keep-line.ts'
import { replaceMethod } from './replace-method.ts'
import { membersOf } from '../base/members.ts'

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
