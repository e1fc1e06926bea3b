// Checks the parts of an application, so that mistakes are not accepted silently: options, plugins, listeners.

import type { AppOptions } from './options.ts'
import type { Plugin } from './plugins/plugin.ts'
import { cookieSecretsRule } from '../http/config/cookie-secrets.ts'
import { allowedAccessLines } from '../http/config/variables.ts'
import { checkErrorFormat } from '../http/kernel/error-format.ts'
import { type Listener, checkListener, listenerMoments } from '../http/kernel/listener.ts'
import {
  action,
  checkOptions,
  describe,
  isRecord,
  listOf,
  wholeNumberRule,
  type OptionRule,
} from '../base/options/check-options.ts'
import { nearestName } from '../base/options/nearest-name.ts'
import { RouteCollection, type AnyRoutes } from '../routing/route-collection.ts'
import { hasName } from '../base/members.ts'

/** Name of the plugin that has what `createApp` is given directly. */
export const applicationName = 'application'

const example = "createApp({ routes: new RouteCollection().get('home', '/', handler) })"

const object: OptionRule = { allowed: 'an object', fits: isRecord }
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const anything: OptionRule = { allowed: 'anything', fits: () => true }

/** Throws a TypeError that names the option, plugin or listener, and how it is written. */
export function checkAppOptions(options: unknown): asserts options is AppOptions {
  if (options instanceof RouteCollection)
    throw new TypeError('createApp() takes the routes as an option: createApp({ routes })')
  checkOptions<AppOptions>('createApp()', options, {
    routes: {
      allowed: `a RouteCollection, or a function that gives one: ${example}`,
      fits: (value) => value instanceof RouteCollection || typeof value === 'function',
    },
    plugins: listOf('a list of plugins', () => true),
    context: object,
    listeners: listOf('a list of listeners', () => true),
    commands: {
      allowed: 'a record of functions, or a function that gives one',
      fits: (value) => isRecord(value) || typeof value === 'function',
    },
    errorPage: action,
    // Checked below, and those of groups too.
    errorFormat: anything,
    hints: listOf('a list of hint rules', isRecord),
    cookieSecrets: cookieSecretsRule,
    redact: object,
    log: object,
    accessLog: {
      allowed: allowedAccessLines,
      fits: (value) =>
        value === 'all' ||
        value === 'errors' ||
        value === 'off' ||
        (typeof value === 'number' && value >= 0 && value <= 1),
    },
    accessLogExcept: listOf("a list of paths and names of routes: ['/health/*', 'ready']", isText),
    maxBodyBytes: wholeNumberRule,
    maxHeaderBytes: wholeNumberRule,
    drainMs: wholeNumberRule,
    lingerMs: wholeNumberRule,
  })
  if (options.routes === undefined) throw new TypeError(`createApp() needs the option routes: ${example}`)
  checkErrorFormat('errorFormat of createApp()', options.errorFormat)
  for (const [index, plugin] of (options.plugins ?? []).entries())
    checkPlugin(`plugins[${index}] of createApp()`, plugin)
}

/** The listeners of a plugin. Throws a TypeError for what is not a listener. */
export function checkedListeners({ name, listeners = [] }: Plugin): readonly Listener[] {
  const owner = name === applicationName ? 'createApp()' : `plugin "${name}"`
  for (const [index, listener] of listeners.entries()) checkListener(`listeners[${index}] of ${owner}`, listener)
  return listeners
}

/** The route table that `owner` gave. Throws a TypeError for anything else. */
export function checkedRoutes(owner: string, given: unknown): AnyRoutes {
  if (given instanceof RouteCollection) return given
  const what =
    given instanceof Promise ? 'a promise; make the routes at once, and wait in the start of a plugin' : describe(given)
  throw new TypeError(`The routes of ${owner} are ${what}; allowed: a RouteCollection`)
}

/** Members that a plugin has as a plain value: one may be made when the plugin starts. */
const pluginRules: Readonly<Record<keyof Plugin, OptionRule>> = {
  name: { allowed: 'a name', fits: (value) => typeof value === 'string' && value !== '' },
  listeners: listOf('a list of listeners', () => true),
  routes: { allowed: 'a RouteCollection', fits: (value) => value instanceof RouteCollection },
  collectors: listOf('a list of collectors', isRecord),
  panels: listOf('a list of panels', isRecord),
  lockView: object,
  commands: object,
  start: action,
  stop: action,
}

function checkPlugin(place: string, plugin: unknown): void {
  if (typeof plugin === 'function') {
    throw new TypeError(`${place} is a function; call it: plugins: [${plugin.name === '' ? 'plugin' : plugin.name}()]`)
  }
  if (!isRecord(plugin))
    throw new TypeError(
      `${place} is ${describe(plugin)}; allowed: an object with a name, such as { name: 'mail', start() {} }`,
    )
  const names = Object.keys(pluginRules)
  const isPlain = Object.getPrototypeOf(plugin) === Object.prototype
  if (isPlain && !('name' in plugin))
    throw new TypeError(`${place} has no name; a plugin is an object such as { name: 'mail', start() {} }`)
  for (const [member, { value }] of Object.entries(Object.getOwnPropertyDescriptors(plugin))) {
    if (value === undefined) continue
    if (hasName(pluginRules, member)) {
      const rule = pluginRules[member]
      if (!rule.fits(value))
        throw new TypeError(`"${member}" of ${place} is ${describe(value)}; allowed: ${rule.allowed}`)
    } else if (typeof value === 'function' && listenerMoments.has(member)) {
      throw new TypeError(
        `"${member}" of ${place} belongs to a listener: listeners: [{ name, ${member}(exchange) {} }]`,
      )
    } else if (isPlain) {
      // A plugin may have further members, such as functions that others call.
      const near = nearestName(member, names)
      if (near !== null) throw new TypeError(`"${member}" of ${place} is unknown. Did you mean "${near}"?`)
    }
  }
}
