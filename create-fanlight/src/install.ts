// Installs the packages of an application with npm.

import { spawn } from 'node:child_process'

const options = [
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=2000',
]

/** Returns what went wrong, in a sentence or in npm's words; `undefined` if nothing did. */
export async function installPackages(folder: string): Promise<string | undefined> {
  const { status, said } = await runNpm(['install', ...options], folder)
  if (status === 0) return undefined
  // Without a network npm 10 may end before it says why.
  const code = networkError(said) ?? networkError((await runNpm(['ping', '--fetch-retries=0'], folder)).said)
  return code === undefined ? said.trim() : `The npm registry cannot be reached (${code}).`
}

function networkError(said: string): string | undefined {
  return /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/.exec(said)?.[0]
}

async function runNpm(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly status: number | null; readonly said: string }> {
  const child = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], shell: process.platform === 'win32' })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    return { status, said }
  } catch (error) {
    return { status: 1, said: error instanceof Error ? error.message : String(error) }
  }
}
