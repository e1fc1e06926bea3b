// Maps places in compiled code to the user's source. A map is read when a frame first needs it: from the end of the compiled
// file, or from the file beside it.

import { posix } from 'node:path'
import { FlattenMap, originalPositionFor, type TraceMap } from '@jridgewell/trace-mapping'
import type { SourceFiles } from './source-files.ts'

interface SourcePlace {
  /** As the map names it, resolved: a path relative to the project root, or an absolute path or URL. */
  readonly location: string
  readonly line: number
  readonly column: number
}

/** The source maps of one project. */
export class SourceMaps {
  readonly #files: SourceFiles
  readonly #maxMaps: number
  readonly #maps = new Map<string, TraceMap | null>()

  /** `maxMaps`: compiled files to remember, including those without a map. */
  constructor(files: SourceFiles, maxMaps = 100) {
    this.#files = files
    this.#maxMaps = maxMaps
  }

  /**
   * The source of a place in a compiled file (relative to the root; line and column from 1); `null` without a map. Never throws.
   */
  find(relativePath: string, line: number, column: number): SourcePlace | null {
    if (!compiledFile.test(relativePath) || line < 1) return null
    const map = this.#mapOf(relativePath)
    if (map === null) return null
    try {
      const found = originalPositionFor(map, { line, column: Math.max(0, column - 1) })
      if (found.source === null) return null
      return { location: readableSource(found.source), line: found.line, column: found.column + 1 }
    } catch {
      return null
    }
  }

  #mapOf(relativePath: string): TraceMap | null {
    const known = this.#maps.get(relativePath)
    if (known !== undefined) return known
    const map = this.#load(relativePath)
    const oldest = this.#maps.size >= this.#maxMaps ? this.#maps.keys().next() : undefined
    if (oldest?.value !== undefined) this.#maps.delete(oldest.value)
    this.#maps.set(relativePath, map)
    return map
  }

  #load(relativePath: string): TraceMap | null {
    try {
      const code = this.#files.readText(relativePath)
      const url = code === null ? null : mappingUrl(code)
      if (url === null) return null
      if (url.startsWith('data:')) return toTraceMap(inlineMap(url), relativePath)
      const mapPath = resolveMapPath(url, relativePath)
      const text = mapPath === null ? null : this.#files.readText(mapPath)
      return text === null || mapPath === null ? null : toTraceMap(text, mapPath)
    } catch {
      return null
    }
  }
}

const compiledFile = /\.[cm]?jsx?$/

/** The URL after the last `//# sourceMappingURL=` of a file (ECMA-426, section 11.1), or `null`. */
export function mappingUrl(code: string): string | null {
  const at = Math.max(code.lastIndexOf(`//# ${marker}`), code.lastIndexOf(`//@ ${marker}`))
  if (at < 0) return null
  const start = at + 4 + marker.length
  const newline = code.indexOf('\n', start)
  const url = code.slice(start, newline < 0 ? code.length : newline).trim()
  return url === '' || /[\s"'`]/.test(url) ? null : url
}

// Concatenated, so that tools do not take this line for a source map comment.
const marker = ['source', 'MappingURL='].join('')

function inlineMap(url: string): string {
  const comma = url.indexOf(',')
  const content = url.slice(comma + 1)
  return url.slice(0, comma).endsWith(';base64')
    ? Buffer.from(content, 'base64').toString('utf8')
    : decodeURIComponent(content)
}

function toTraceMap(text: string, mapPath: string): TraceMap {
  // Some servers put `)]}'` before JSON; the specification tells readers to skip it.
  const json = text.startsWith(")]}'") ? text.slice(text.indexOf('\n') + 1) : text
  return new FlattenMap(json, mapPath)
}

/** Path of the map relative to the root; `null` outside the project. */
function resolveMapPath(url: string, compiledPath: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url) || url.startsWith('/')) return null
  const path = posix.normalize(posix.join(posix.dirname(compiledPath), decodeURIComponent(url.replace(/[?#].*$/s, ''))))
  return path.startsWith('../') ? null : path
}

/** `webpack://shop/./src/cart.ts?a1b2` is `src/cart.ts`. */
function readableSource(source: string): string {
  const bundled = /^(?:webpack|turbopack|rspack|rollup|vite|parcel):\/\/[^/]*\/(.*)$/s.exec(source)
  return bundled === null
    ? source
    : posix.normalize((bundled[1] ?? '').replace(/\?[^?]*$/, '').replace(/^(?:\.\/|\/)+/, ''))
}
