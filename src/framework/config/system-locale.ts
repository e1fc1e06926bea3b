// Where and in which language the process believes to be. `Intl.DateTimeFormat` knows both, but loads the runtime's data of
// dates for it, which takes 20 ms and 8 MB of a start.

import { readlinkSync } from 'node:fs'

/** Language tag of the system: `en-US`. */
export function systemLocale(): string {
  return new Intl.PluralRules().resolvedOptions().locale
}

/** Time zone by its name: `Europe/Berlin`, `UTC`. `env` is `process.env`, `link` what leads to the system's zone. */
export function systemTimeZone(env: Readonly<Record<string, string | undefined>>, link = '/etc/localtime'): string {
  const name = env['TZ'] === undefined ? linkedZone(link) : env['TZ']
  if (/^(?:Etc\/)?UTC$/.test(name)) return 'UTC'
  return /^[A-Z][A-Za-z]+(?:\/[A-Z][\w+-]+)+$/.test(name) ? name : new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** `/usr/share/zoneinfo/Europe/Berlin` → `Europe/Berlin`; the empty text where it cannot be told. */
function linkedZone(link: string): string {
  try {
    return readlinkSync(link).split('/zoneinfo/')[1] ?? ''
  } catch {
    return ''
  }
}
