// The source files of one project as trees, and where an import leads. Nothing outside the project is read.

import { readdirSync, statSync } from 'node:fs'
import { posix, relative } from 'node:path'
import { performance } from '../base/timing/builtins.ts'
import { libraryRoot } from '../base/own-package.ts'
import { libraryFile, normalizeRoot } from '../errors/frame-file.ts'
import { mayShowSource, type SourceFile, type SourceFiles } from '../errors/source-files.ts'
import { importsIn, readTree } from '../errors/source/source-tree.ts'
import type { Exported, SourceTree } from '../errors/source/source-tree.ts'
import type { Node } from '../errors/source/syntax.ts'
import { membersOf } from '../base/members.ts'

/** A node of a file. */
export interface Place {
  readonly tree: SourceTree
  readonly node: Node
}

/** What a module exports under a name. */
type FoundExport = Place | { readonly missing: SourceTree } | null

/** How long a file is where it was found. */
const recheckMs = 500
const endings: readonly string[] =
  ' .ts .js .tsx .mts .mjs .jsx .cjs .cts /index.ts /index.js /index.tsx /index.mjs'.split(' ')

/** Reads and parses files of a project, each version once. */
export class ProjectSources {
  readonly files: SourceFiles
  // The lines of a file stay the same list until it is read again.
  readonly #trees = new WeakMap<SourceFile['lines'], SourceTree | null>()
  readonly #imports = new WeakMap<SourceFile['lines'], readonly string[]>()
  readonly #libraryRoot = normalizeRoot(libraryRoot())
  readonly #resolved = new Map<string, string | null>()
  #resolvedMs = 0
  readonly #aliases = new Map<string, readonly Alias[]>()

  constructor(files: SourceFiles) {
    this.files = files
  }

  /** The file that the process was started with; `null` if it was built from others, of whose lines it says nothing. */
  get entry(): string | null {
    const path = relative(this.files.root, process.argv[1] ?? '')
    return this.files.readText(`${path}.map`) === null ? path : null
  }

  /** The tree of a file, relative to the root; `null` if it may not be read or cannot be parsed. Never throws. */
  tree(path: string): SourceTree | null {
    const file = this.files.read(path)
    if (file === null) return null
    let tree = this.#trees.get(file.lines)
    if (tree === undefined) this.#trees.set(file.lines, (tree = readTree(file)))
    return tree
  }

  /** The files of the project that a file loads, as its text has them: it is not parsed for it. Never throws. */
  importsOf(path: string): string[] {
    const file = this.files.read(path)
    if (file === null) return []
    let imports = this.#imports.get(file.lines)
    if (imports === undefined) this.#imports.set(file.lines, (imports = importsIn(file)))
    return imports.flatMap((from) => this.resolve(path, from) ?? [])
  }

  /** Whether a line of a file has what is wanted. Never throws. */
  contains(path: string, wanted: RegExp): boolean {
    return this.files.read(path)?.lines.some((line) => wanted.test(line)) === true
  }

  /** The file that an import leads to; `null` for packages and for files that are not there. */
  resolve(from: string, specifier: string): string | null {
    const now = performance.now()
    if (now - this.#resolvedMs > recheckMs) this.#resolved.clear()
    if (this.#resolved.size === 0) this.#resolvedMs = now
    const key = `${from}\0${specifier}`
    const known = this.#resolved.get(key)
    if (known !== undefined) return known
    const found = this.#find(from, specifier)
    this.#resolved.set(key, found)
    return found
  }

  #find(from: string, specifier: string): string | null {
    if (specifier.startsWith('.')) return this.#existing(posix.join(posix.dirname(from), specifier))
    for (const { start, end, targets } of this.#aliasesFor(from, specifier)) {
      if (!specifier.startsWith(start) || !specifier.endsWith(end)) continue
      const star = specifier.slice(start.length, specifier.length - end.length)
      for (const target of targets) {
        const found = this.#existing(posix.normalize(target.replace('*', star)))
        if (found !== null) return found
      }
    }
    return null
  }

  /** What a file exports under a name, through re-exports. */
  findExport(path: string, name: string, depth = 0): FoundExport {
    const tree = depth > 8 ? null : this.tree(path)
    if (tree === null) return null
    if (name === '*') return { tree, node: tree.whole ?? tree.program }
    const type = tree.types.get(name)
    const found = tree.exports.get(name) ?? (type === undefined ? undefined : { node: type })
    if (found !== undefined) return this.#exported(tree, found, depth)
    let isKnown = tree.exports.size > 0
    for (const from of tree.stars) {
      const inner = this.resolve(path, from)
      const passed = inner === null ? null : this.findExport(inner, name, depth + 1)
      if (passed !== null && 'node' in passed) return passed
      // What a package exports is not known.
      isKnown = passed !== null
      if (!isKnown) break
    }
    return isKnown ? { missing: tree } : null
  }

  /** Names of the files next to one, without dot-files. Never throws. */
  siblings(folder: string): string[] {
    try {
      if (folder.split('/').some((part) => part === '..' || part === 'node_modules')) return []
      const names = readdirSync(`${this.files.root}/${folder}`)
      return names.filter((name) => !name.startsWith('.')).slice(0, 500)
    } catch {
      return []
    }
  }

  #exported(tree: SourceTree, found: Exported, depth: number): FoundExport {
    if ('node' in found) return { tree, node: found.node }
    if ('from' in found) {
      const inner = this.resolve(tree.file.path, found.from)
      return inner === null ? null : this.findExport(inner, found.name, depth + 1)
    }
    const binding = tree.bindingOf(found.local, tree.program)
    if (binding === undefined) return null
    if (binding.source === null) return { tree, node: binding.node }
    const inner = this.resolve(tree.file.path, binding.source.from)
    return inner === null ? null : this.findExport(inner, binding.source.name, depth + 1)
  }

  #existing(path: string): string | null {
    if (path.startsWith('..') || libraryFile(`${this.files.root}/${path}`, this.#libraryRoot) !== null) return null
    const written = /\.[mc]?jsx?$/.test(path)
      ? [path, path.replace(/\.([mc]?)js(x?)$/, '.$1ts$2'), path.replace(/\.js$/, '.tsx')]
      : []
    for (const candidate of [...written, ...endings.map((ending) => path + ending)]) {
      if (mayShowSource(candidate) && this.#isFile(candidate)) return candidate
    }
    return null
  }

  #isFile(path: string): boolean {
    try {
      return statSync(`${this.files.root}/${path}`, { throwIfNoEntry: false })?.isFile() === true
    } catch {
      return false
    }
  }

  /** `imports` of package.json for `#x`, `paths` of tsconfig.json for others: of the nearest one above a file. */
  #aliasesFor(from: string, specifier: string): readonly Alias[] {
    const kind = specifier.startsWith('#') ? 'package.json' : 'tsconfig.json'
    const folder = posix.dirname(from)
    const path = posix.join(folder, kind)
    let aliases = this.#aliases.get(path)
    if (aliases === undefined) {
      aliases = readAliases(this.files, path) ?? (folder === '.' ? [] : this.#aliasesFor(folder, specifier))
      this.#aliases.set(path, aliases)
    }
    return aliases
  }
}

/** `@/*` leads to `src/*`. */
interface Alias {
  readonly start: string
  readonly end: string
  readonly targets: readonly string[]
}

/** What JSON does not have, and texts, which stay as they are. */
const commentOrComma = /("(?:\\.|[^"\\])*")|\/\/.*|\/\*[^]*?\*\/|,(?=\s*[}\]])/g

/** `null` without the file. */
function readAliases(files: SourceFiles, path: string, depth = 0): readonly Alias[] | null {
  const text = files.readSettings(path)
  if (text === null) return null
  try {
    const isPackage = path.endsWith('package.json')
    const data: unknown = JSON.parse(isPackage ? text : text.replaceAll(commentOrComma, '$1'))
    const options = isPackage ? data : member(data, 'compilerOptions')
    const base = member(options, 'baseUrl')
    const table = member(options, isPackage ? 'imports' : 'paths')
    const parent = member(data, 'extends')
    if (table === undefined && !isPackage && typeof parent === 'string' && parent.startsWith('.') && depth < 5)
      return readAliases(files, posix.join(posix.dirname(path), parent), depth + 1)
    if (typeof table !== 'object' || table === null) return []
    return Object.entries(table).map(([pattern, target]) => {
      const [start = '', end = ''] = pattern.split('*', 2)
      const folder = posix.join(posix.dirname(path), typeof base === 'string' ? base : '.')
      return { start, end, targets: targetsOf(target).map((one) => posix.join(folder, one)) }
    })
  } catch {
    return []
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? membersOf(value)[name] : undefined
}

/** Paths of a target, in all of its conditions. */
function targetsOf(target: unknown): string[] {
  if (typeof target === 'string') return [target]
  return typeof target === 'object' && target !== null ? Object.values(target).flatMap(targetsOf) : []
}
