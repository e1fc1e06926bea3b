// Brings what the commands need: the packages of the lockfile and, with --test, what the suites need from the system.
// Plain JavaScript, because it runs before our own Node is there.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { missingTools } from './test-tools.mjs'

installPackages()
if (process.argv.includes('--test')) installTestTools()

function installPackages() {
  if (isInstalled()) return
  console.log('Installing packages …')
  run('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'])
  if (!existsSync('node_modules/.bin/node')) {
    fail(
      'The package "node" brought no binary: its install script did not run. Allow it (allowScripts in package.json) and run "npm ci" again.',
    )
  }
}

/** The lockfile that npm keeps inside node_modules is younger than ours once everything is there. */
function isInstalled() {
  const marker = 'node_modules/.package-lock.json'
  if (!existsSync(marker) || !existsSync('node_modules/.bin/node')) return false
  if (statSync(marker).mtimeMs >= statSync('package-lock.json').mtimeMs) return true
  return packagesOf(marker) === packagesOf('package-lock.json')
}

function packagesOf(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'))
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.optional)
    .map(([path, entry]) => `${path}@${entry.version}`)
    .sort()
    .join('\n')
}

function installTestTools() {
  const names = namesOf(missingTools())
  if (names.length === 0) return
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    console.log(`Installing ${names.join(' ')} from Debian …`)
    if (apt(['update'])) apt(['install', '-y', '--no-install-recommends', ...names])
  }
  const missing = missingTools()
  if (missing.length === 0) return
  const leftOut = missing.map((tool) => tool.suites).join(', ')
  const wanted = namesOf(missing).join(' ')
  console.log(`Left out: ${leftOut}. To run them, install: ${wanted} (Debian: sudo apt-get install ${wanted}).`)
}

function namesOf(tools) {
  return tools.flatMap((tool) => tool.packages)
}

function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', ['-q', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) fail(`"${command} ${args.join(' ')}" ended with ${status}.`)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
