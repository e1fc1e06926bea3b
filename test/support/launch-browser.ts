// Starts Debian's Chromium, with fonts of the tests' own.

import { fileURLToPath } from 'node:url'
import { chromium, type Browser } from 'playwright-core'
import { findProgram } from '../../scripts/test-tools.mjs'

/** `narrow` shows what depends on a font. Default: `usual`. */
const fonts = process.env['BROWSER_FONTS'] ?? 'usual'

/** Starts a browser; the caller closes it. */
export async function launchBrowser(): Promise<Browser> {
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
    ],
  })
}
