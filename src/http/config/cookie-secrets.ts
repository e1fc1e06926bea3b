// The secrets that cookies are signed with: of the setting, and of the option.

import { createSecretKey, type KeyObject } from 'node:crypto'
import * as v from 'valibot'
import { listOf, type OptionRule } from '../../base/options/check-options.ts'
import { mask } from '../../base/redact/rules.ts'
import type { Variable } from './variable.ts'

const secretPattern = /^[!-+\--~]{32,512}$/
const allowed = 'secrets of 32 to 512 characters of ASCII without spaces and commas, the newest first'

/** `APP_COOKIE_SECRETS`: several are separated by commas. */
export const cookieSecrets: Variable<readonly KeyObject[]> = {
  schema: v.pipe(
    v.string(),
    v.transform((list) => list.split(',').map((secret) => secret.trim())),
    v.array(v.pipe(v.string(), v.regex(secretPattern))),
    v.transform((secrets) => Object.freeze(secrets.map(cookieKey))),
  ),
  allowed: `${allowed}, for example one that "openssl rand -base64 32" prints`,
  show: () => mask,
}

export const cookieSecretsRule: OptionRule = {
  ...listOf(allowed, (secret) => typeof secret === 'string' && secretPattern.test(secret)),
  isSecret: true,
}

/** A key that cannot be printed by accident. */
export function cookieKey(secret: string): KeyObject {
  return createSecretKey(secret, 'utf8')
}
