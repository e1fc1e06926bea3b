// Installs the Node that package.json names: only its program, taken out of the npm package for this platform. Letting npm
// unpack that package takes three times as long, for 2,800 headers that nobody reads.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'

const { devDependencies, engines } = JSON.parse(readFileSync('package.json', 'utf8'))
const isWindows = process.platform === 'win32'
/** Where npm would put the program of the package `node`, and its link to it. */
const program = isWindows ? 'node_modules/.bin/node.exe' : 'node_modules/node/bin/node'
const link = isWindows ? program : 'node_modules/.bin/node'

/** The oldest version that `engines` allows. */
export const oldestNode = '22.18.0'
/** Versions of the other lines, which all tests have to pass on. */
export const otherNodes = ['22.23.3', '26.10.0']

/** Where the program of another version is, for `npm test` and `npm run test:nodes`. */
export function programOf(version) {
  return resolve(`var/nodes/${version}/node${isWindows ? '.exe' : ''}`)
}

/** Leaves out what the registry does not have for this platform. */
export async function installOtherNodes(npm) {
  for (const version of [oldestNode, ...otherNodes]) {
    if (existsSync(programOf(version))) continue
    console.log(`Installing Node ${version} for the tests …`)
    const bytes = await fetchNode(npm, version)
    if (bytes !== null) writeProgram(programOf(version), bytes)
  }
}

/** Whether `npm run` finds a Node that is new enough: ours, or where there is none for this platform, that of the machine. */
export function isNodeInstalled() {
  return existsSync(link) ? isOursInstalled() : isNewEnough(process.versions.node)
}

/** It must also run: node_modules may come from another machine. */
function isOursInstalled() {
  return versionOf(link) === devDependencies.node
}

/** The bytes of the program; `null` where the registry has none for this platform, or the Node of the machine will do. */
export async function fetchNode(npm, version = devDependencies.node) {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-node-'))
  try {
    await npm(['pack', `${packageName()}@${version}`], directory)
    const archive = readFileSync(join(directory, `${packageName()}-${version}.tgz`))
    return entryOf(gunzipSync(archive), `package/bin/node${isWindows ? '.exe' : ''}`)
  } catch (error) {
    if (isNewEnough(process.versions.node) || /\b(?:E404|ETARGET)\b/.test(error.message)) return null
    throw error
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Puts the program where `npm run` finds it. */
export function placeNode(bytes) {
  if (bytes !== null) {
    writeProgram(program, bytes)
    mkdirSync(join(link, '..'), { recursive: true })
    if (!isWindows) {
      rmSync(link, { force: true })
      symlinkSync('../node/bin/node', link)
    }
    if (isOursInstalled()) return
    // Made for another C library, for example.
    rmSync(link)
  }
  if (!isNewEnough(process.versions.node)) {
    throw new Error(
      `There is no Node ${devDependencies.node} that runs on ${process.platform} ${process.arch} at the npm registry. Install Node ${engines.node} and run the command again.`,
    )
  }
  console.log(`Running with the Node of this machine, ${process.versions.node}.`)
}

/** Never half a program under its name. */
function writeProgram(file, bytes) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, bytes)
  chmodSync(`${file}.new`, 0o755)
  renameSync(`${file}.new`, file)
}

/** The npm package of Node for this platform. */
export function packageName() {
  const { platform, arch } = process
  if (isWindows) return `node-win-${arch === 'ia32' ? 'x86' : arch}`
  return `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`
}

/** A file in a tar archive. Throws where it is missing. */
function entryOf(tar, name) {
  const blockSize = 512
  const text = (from, length) => tar.toString('latin1', from, from + length).replace(/\0.*$/s, '')
  for (let at = 0; at < tar.length && tar[at] !== 0;) {
    const start = at + blockSize
    const size = Number.parseInt(text(at + 124, 12), 8)
    if (text(at, 100) === name) return tar.subarray(start, start + size)
    at = start + Math.ceil(size / blockSize) * blockSize
  }
  throw new Error(`The npm package of Node has no ${name}.`)
}

/** Whether `engines` allows a version: `^24.11.0 || >=26.0.0`. */
function isNewEnough(version) {
  const [major, minor, patch] = version.split('.').map(Number)
  return engines.node.split(' || ').some((range) => {
    const [least, leastMinor, leastPatch] = range.replace(/^\D+/, '').split('.').map(Number)
    if (major !== least) return range.startsWith('>=') && major > least
    return minor > leastMinor || (minor === leastMinor && patch >= leastPatch)
  })
}

function versionOf(path) {
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim().slice(1) : undefined
}
