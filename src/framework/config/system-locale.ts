// Locale and time zone of the system. `Intl.DateTimeFormat` knows both, but loads much data for it.

import { readlinkSync } from 'node:fs'

/** Language tag of the system: `en-US`. */
export function systemLocale(): string {
  return new Intl.PluralRules().resolvedOptions().locale
}

/** Time zone by its name: `Europe/Berlin`, `UTC`. `link` points to the zone of the system. */
export function systemTimeZone(env: Readonly<Record<string, string | undefined>>, link = '/etc/localtime'): string {
  const name = env['TZ'] === undefined ? linkedZone(link) : env['TZ']
  if (/^(?:Etc\/)?UTC$/.test(name)) return 'UTC'
  return /^[A-Z][A-Za-z]+(?:\/[A-Z][\w+-]+)+$/.test(name) ? name : new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** `/usr/share/zoneinfo/Europe/Berlin` → `Europe/Berlin`; empty if unknown. */
function linkedZone(link: string): string {
  try {
    return readlinkSync(link).split('/zoneinfo/')[1] ?? ''
  } catch {
    return ''
  }
}
