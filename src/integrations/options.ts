// What `fanlight(app, options)` takes, and the check of it.

import type { HintRule } from '../errors/hints/hint.ts'
import { TrustedProxies } from '../base/http/trusted-proxies.ts'
import { checkOptions, isRecord, listOf, type OptionRules } from '../base/options/check-options.ts'
import { Redactor } from '../base/redact/redactor.ts'
import type { RedactionRules } from '../base/redact/rules.ts'
import { checkAiOptions } from '../observe/ai-options.ts'
import { profilerRules, type ProfilerOptions } from '../app/profiler-options.ts'
import { resolveRecordingRules } from '../profiles/sampling/recording-rules.ts'

/** Options of all integrations. A process has one set of them: the first that is given. */
export interface IntegrationOptions extends ProfilerOptions {
  /**
   * Which responses to errors are replaced by the error page, Markdown, text or a problem document, as the client asks. `framework`: the
   * default responses of the framework, but for its own JSON. `browser`: for browsers, also responses with a status from 500 that the application makes
   * itself. `false`: none. Default: `framework`.
   */
  readonly errorPage?: 'framework' | 'browser' | false
  /** More headers, keys and patterns to mask. Default: none. */
  readonly redact?: RedactionRules
  /** Explain errors of your own; asked before the built-in hints. Default: none. */
  readonly hints?: readonly HintRule[]
  /** Where profiles are shown. Default: `/_profiler`. */
  readonly profilerPath?: string
}

const rules: OptionRules<IntegrationOptions> = {
  errorPage: {
    allowed: "'framework', 'browser' or false",
    fits: (value) => value === 'framework' || value === 'browser' || value === false,
  },
  redact: { allowed: 'an object with headers, keys and patterns', fits: isRecord },
  hints: listOf('a list of functions', () => true),
  profilerPath: {
    allowed: 'a path such as /_profiler, of letters, digits, dots, dashes and underscores',
    fits: (value) => typeof value === 'string' && /^(?:\/[\w.-]+)+$/.test(value) && !/\/\.\.?(?:\/|$)/.test(value),
  },
  ...profilerRules,
}

/** Throws a TypeError that names the option and what is allowed. */
export function checkIntegrationOptions(given: unknown): asserts given is IntegrationOptions {
  checkOptions<IntegrationOptions>('', given, rules)
  const { allowedPeers = [], redact, recording = {} } = given
  named('allowedPeers', () => new TrustedProxies(allowedPeers))
  named('redact', () => new Redactor(redact))
  if (given.ai !== undefined) checkAiOptions(given.ai)
  resolveRecordingRules(recording, { mode: 'all', sampleRate: null, signingKey: null }, 'dev')
}

/** What the check of the house says, with the name of the option. */
function named(option: string, check: () => unknown): void {
  try {
    check()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`Option "${option}" cannot be used: ${reason}`, { cause })
  }
}
