// Starts Debian's Chromium, with fonts of the tests' own.

import { fileURLToPath } from 'node:url'
import { chromium, type Browser } from 'playwright-core'
import { findProgram } from '../../scripts/test-tools.mjs'

/** Starts a browser; the caller closes it. `fonts`: `narrow` shows what depends on a font, `pictures` are for those who read the documentation. Default: `usual`. */
export async function launchBrowser(fonts: string = process.env['BROWSER_FONTS'] ?? 'usual'): Promise<Browser> {
  return chromium.launch({
    executablePath: findProgram('chromium-headless-shell') ?? findProgram('chromium') ?? '/usr/bin/chromium',
    env: { ...process.env, FONTCONFIG_FILE: fileURLToPath(import.meta.resolve(`./fonts/${fonts}.conf`)) },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A page lives for a second: to optimize what it runs costs more than it saves.
      '--js-flags=--no-opt --no-maglev',
    ],
  })
}
