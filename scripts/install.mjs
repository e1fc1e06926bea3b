// Installs what a command needs: run-time packages and our Node; with --development all packages of the lockfile, with --test
// also older frameworks, other versions of Node and programs for the suites, with --starts also what starts applications, with
// --bench what the benches compare with, with --site what makes the documentation site. Plain JavaScript: it runs before our own
// Node is there.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fetchNode, installOtherNodes, isNodeInstalled, placeNode } from './install-node.mjs'
import { missingTools } from './test-tools.mjs'

const isStarts = process.argv.includes('--starts')
const isTest = isStarts || process.argv.includes('--test')
const isBench = process.argv.includes('--bench')
const isSite = process.argv.includes('--site')
const isDevelopment = isTest || isBench || isSite || process.argv.includes('--development')

/** Packages of the tests whose versions differ from those of the lockfile. */
const olderFrameworks = 'test/integrations/older'
const waysToStart = 'test/integrations/starts'

const options = [
  // No package needs its install script, and some would compile.
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  // Without a network npm would be silent for more than a minute.
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=2000',
]

try {
  await installPackages(isDevelopment)
  // Most of the time each of them waits for the registry.
  await allOf([
    isBench && !existsSync('bench/node_modules/.package-lock.json') && npm(['install', '--prefix', 'bench']),
    isTest && !arePackagesInstalled(true, olderFrameworks) && npm(['ci'], olderFrameworks),
    isTest && installOtherNodes(npm),
    isStarts && !arePackagesInstalled(true, waysToStart) && npm(['ci'], waysToStart),
    isSite && !arePackagesInstalled(true, 'site') && npm(['ci'], 'site'),
  ])
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
if (isTest) installTestTools()

async function installPackages(withDevelopment) {
  const arePackagesThere = arePackagesInstalled(withDevelopment)
  if (arePackagesThere && isNodeInstalled()) return
  console.log(`Installing ${withDevelopment ? 'packages for development' : 'packages'} and Node …`)
  const omit = withDevelopment ? [] : ['--omit=dev', '--omit=optional']
  const [, node] = await allOf([arePackagesThere ? undefined : npm(['ci', ...omit]), fetchNode(npm)])
  // Only now: npm empties node_modules first.
  placeNode(node)
}

/** Waits for all of them, then rejects with the first failure: npm writes until it ends. */
async function allOf(works) {
  const ends = await Promise.allSettled(works)
  for (const { reason } of ends) if (reason !== undefined) throw reason
  return ends.map(({ value }) => value)
}

/** npm lists what it installed inside node_modules when it has finished: an install that stopped half way leaves no list. */
function arePackagesInstalled(withDevelopment, folder = '.') {
  const list = `${folder}/node_modules/.package-lock.json`
  if (!existsSync(list)) return false
  const installed = packagesOf(list)
  return Object.entries(packagesOf(`${folder}/package-lock.json`)).every(
    ([path, { version, dev, optional, devOptional }]) =>
      path === '' || optional || (!withDevelopment && (dev || devOptional)) || installed[path]?.version === version,
  )
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

function installTestTools() {
  const names = missingTools().flatMap(({ packages }) => packages)
  if (names.length === 0 || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return
  console.log(`Installing ${names.join(' ')} from Debian …`)
  if (apt(['update'])) apt(['install', '-y', '--no-install-recommends', ...names])
}

function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', ['-q', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0
}

/** Runs npm. Rejects with one line where the registry cannot be reached, else with what npm says. */
async function npm(args, cwd = '.') {
  const { status, said } = await runNpm([...args, ...options], cwd)
  if (status === 0) return
  // Without a network npm 10 may end before it says why.
  const code = networkError(said) ?? networkError((await runNpm(['ping', '--fetch-retries=0'], cwd)).said)
  throw new Error(
    code === undefined
      ? `${said}"npm ${args.join(' ')}" ended with ${status}.`
      : `The npm registry cannot be reached (${code}). Packages are missing: connect to the network and run the command again.`,
  )
}

function networkError(said) {
  return /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/.exec(said)?.[0]
}

function runNpm(args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], shell: process.platform === 'win32' })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (said += text))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, said }))
  })
}
