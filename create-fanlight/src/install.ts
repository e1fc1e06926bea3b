// Installs the packages of an application with npm.

import { spawn } from 'node:child_process'

const options = [
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=2000',
]

const networkErrors = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/

/** Gives what went wrong in a sentence or in npm's words; `undefined` if all went well. */
export async function installPackages(folder: string): Promise<string | undefined> {
  const child = spawn('npm', ['install', ...options], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  }).catch((error: unknown) => {
    said = error instanceof Error ? error.message : String(error)
    return 1
  })
  if (status === 0) return undefined
  const code = networkErrors.exec(said)?.[1]
  return code === undefined ? said.trim() : `The npm registry cannot be reached (${code}).`
}
