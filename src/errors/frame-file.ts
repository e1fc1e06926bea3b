// Decides whose code a frame is, and names its file relative to the project, without home directories.

import { posix } from 'node:path'
import { cutText } from '../base/redact/cut-text.ts'
import type { Frame } from './flattened-error.ts'

export interface FrameFile {
  /** As shown: `src/app.ts`, `node_modules/pg/lib/client.js`, `node:internal/timers`. */
  readonly file: string
  readonly origin: Frame['origin']
  /** Absolute path with `/`; `null` outside the project. */
  readonly path: string | null
}

/** Prefix of the library's own files, wherever it is installed: `fanlight/src/framework/kernel/kernel.ts`. */
export const libraryName = 'fanlight'

/** A file of the library relative to its package, `src/http/kernel/kernel.ts`; `null` for other files. Never throws. */
export function libraryFile(location: string, libraryRoot: string): string | null {
  const path = location.startsWith('file:') ? pathOfUrl(location) : forwardSlashes(location)
  if (!path.startsWith(`${libraryRoot}/`)) return null
  return path.slice(posix.dirname(libraryRoot).length + 1)
}

/** `projectRoot` is absolute, with `/` and none at its end. Never throws. */
export function frameFile(location: string, projectRoot: string): FrameFile {
  if (location.startsWith('node:') || location.startsWith('wasm:'))
    return { file: cutText(location, 500), origin: 'node', path: null }
  if (location === '' || location === 'native' || location.startsWith('<') || location.startsWith('index '))
    return { file: '<anonymous>', origin: 'node', path: null }
  const written = location.startsWith('file:') ? pathOfUrl(location) : forwardSlashes(location)
  const path = written.includes('/.') ? posix.normalize(written) : written
  const inModules = path.lastIndexOf('/node_modules/')
  if (inModules >= 0) return { file: cutText(path.slice(inModules + 1), 500), origin: 'dependency', path: null }
  const relative = relativeTo(path, projectRoot)
  if (relative !== null) return { file: cutText(relative, 500), origin: 'own', path: `${projectRoot}/${relative}` }
  return { file: cutText(nameOutside(path, projectRoot), 500), origin: 'dependency', path: null }
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

/** A path with an empty part, or with one that starts with a dot. */
const mayBeShorter = /(?:^|\/)(?:\.|\/|$)/

/** The path from the project for its neighbours; otherwise the last two parts. */
function nameOutside(path: string, root: string): string {
  const scheme = /^[a-z][a-z0-9+.-]+:/i.exec(path)
  if (scheme !== null) return path.replace(/[?#].*$/s, '')
  const parent = relativeTo(path, posix.dirname(root))
  if (parent !== null && posix.dirname(root).split('/').length > 2) return `../${parent}`
  return `…/${path.split('/').slice(-2).join('/')}`
}
