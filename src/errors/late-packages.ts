// Packages that colour source and read source maps, loaded when they are first asked for: a start needs neither. Loaded at once,
// since a stack is read in one go.

import { createRequire } from 'node:module'
import type * as TraceMapping from '@jridgewell/trace-mapping'
import type * as Tokenize from '@speed-highlight/core/tokenize'
import { once } from './once.ts'

const load = createRequire(import.meta.url)

/** Reads source maps. */
export const traceMapping: () => typeof TraceMapping = once(
  () => load('@jridgewell/trace-mapping') as typeof TraceMapping,
)

/** Takes code apart by the rules of a language. */
export const tokenizer: () => typeof Tokenize = once(() => load('@speed-highlight/core/tokenize') as typeof Tokenize)

/** The languages of the highlighter that source is shown in, and those that they refer to, by name. */
export const languages: () => Record<string, Tokenize.ShjLanguageData> = once(() => ({
  js: loadLanguage('js'),
  ts: loadLanguage('ts'),
  jsdoc: loadLanguage('jsdoc'),
  regex: loadLanguage('regex'),
  todo: loadLanguage('todo'),
}))

/** Loads them all, so that the first error need not wait for them. */
export function loadLatePackages(): void {
  traceMapping()
  tokenizer()
  languages()
}

function loadLanguage(name: string): Tokenize.ShjLanguageData {
  return (load(`@speed-highlight/core/languages/${name}.js`) as { readonly default: Tokenize.ShjLanguageData }).default
}
