// Says whose code a place of a stack is, and names its file so that it can be shown: relative to the project, never
// with a home directory in it.

import { posix } from 'node:path'
import type { Frame } from './flattened-error.ts'

/** A place of a stack, named for people. */
export interface FrameFile {
  /** What is shown: `src/app.ts`, `node_modules/pg/lib/client.js`, `node:internal/timers`. */
  readonly file: string
  readonly origin: Frame['origin']
  /** Absolute path with `/`, for reading; `null` for what is no file of the project. */
  readonly path: string | null
}

/** What the library's own files are named by, wherever it lies: `fanlight/src/kernel/kernel.ts`. */
export const libraryName = 'fanlight'

/** A file of the library, named relative to its package: `src/framework/kernel/kernel.ts`; `null` for every other place. Never throws. */
export function libraryFile(location: string, libraryRoot: string): string | null {
  const path = location.startsWith('file:') ? pathOfUrl(location) : forwardSlashes(location)
  if (!path.startsWith(`${libraryRoot}/`)) return null
  return path.slice(posix.dirname(libraryRoot).length + 1)
}

/** Names a place. `projectRoot` is absolute, with `/` and without one at its end. Never throws. */
export function frameFile(location: string, projectRoot: string): FrameFile {
  if (location.startsWith('node:') || location.startsWith('wasm:'))
    return { file: cut(location), origin: 'node', path: null }
  if (isNameless(location)) return { file: '<anonymous>', origin: 'node', path: null }
  const written = location.startsWith('file:') ? pathOfUrl(location) : forwardSlashes(location)
  const path = written.includes('/.') ? posix.normalize(written) : written
  const inModules = path.lastIndexOf('/node_modules/')
  if (inModules >= 0) return { file: cut(path.slice(inModules + 1)), origin: 'dependency', path: null }
  const relative = relativeTo(path, projectRoot)
  if (relative !== null) return { file: cut(relative), origin: 'own', path: `${projectRoot}/${relative}` }
  return { file: cut(nameOutside(path, projectRoot)), origin: 'dependency', path: null }
}

/** A directory as `frameFile` takes it: `/` only, none at the end. */
export function normalizeRoot(directory: string): string {
  const root = forwardSlashes(directory)
  return root.length > 1 && root.endsWith('/') ? root.slice(0, -1) : root
}

/** Path of a `file:` URL, decoded, without query and fragment. Never throws. */
export function pathOfUrl(url: string): string {
  const start = url.startsWith('file://') ? 7 : 5
  const written = url.slice(start)
  const decoded = /[%?#]/.test(written) ? decode(written.replace(/[?#].*$/s, '')) : written
  // file:///C:/app is C:/app.
  return /^\/[A-Za-z]:\//.test(decoded) ? decoded.slice(1) : decoded
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function isNameless(location: string): boolean {
  return location === '' || location === 'native' || location.startsWith('<') || location.startsWith('index ')
}

function forwardSlashes(path: string): string {
  return path.includes('\\') ? path.replaceAll('\\', '/') : path
}

function relativeTo(path: string, root: string): string | null {
  const prefix = root === '/' ? '/' : `${root}/`
  if (!path.startsWith(prefix)) return null
  const written = path.slice(prefix.length)
  const relative = mayBeShorter.test(written) ? posix.normalize(written) : written
  return relative.startsWith('../') || relative === '..' || relative === '.' ? null : relative
}

/** A path with an empty part, or one that begins with a dot. */
const mayBeShorter = /(?:^|\/)(?:\.|\/|$)/

/** A neighbour of the project by its way from there; anything farther by its last two parts. */
function nameOutside(path: string, root: string): string {
  const scheme = /^[a-z][a-z0-9+.-]+:/i.exec(path)
  if (scheme !== null) return path.replace(/[?#].*$/s, '')
  const parent = relativeTo(path, posix.dirname(root))
  if (parent !== null && posix.dirname(root).split('/').length > 2) return `../${parent}`
  return `…/${path.split('/').slice(-2).join('/')}`
}

function cut(file: string): string {
  return file.length > 500 ? `${file.slice(0, 500)}…` : file
}
