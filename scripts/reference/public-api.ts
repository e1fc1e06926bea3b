// Everything that users of the package can name, or meet in the types of what they can name.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { readDeclarations, type Declaration, type Member, type Origin, type SourceFile } from './declarations.ts'

/** A name and where it is documented. */
export interface PublicName extends Declaration {
  /** `fanlight/profiler`: the entry that exports it, or the first one whose types lead to it. */
  readonly entry: string
  /** 0: it can be imported; 1: it is in the types of one that can; 2: it is in the types of one of those. */
  readonly depth: number
  readonly file: string
  /** Public names in its code. */
  readonly uses: readonly PublicName[]
}

export interface Entry {
  readonly name: string
  /** What the comment at the head of its file says. */
  readonly purpose: string
  readonly names: readonly PublicName[]
}

/** A member without a doc comment has that of the same member of a type that it extends. */
function described(member: Member, { uses, bases }: PublicName): Member {
  if (member.doc !== '') return member
  const extended = uses.filter(({ name }) => bases.has(name))
  const base = extended.flatMap(({ members }) => members).find(({ name, doc }) => name === member.name && doc !== '')
  return base === undefined ? member : { ...member, doc: base.doc }
}

/** Types of types are documented, what these are made of is not. */
const furthest = 2

const keyOf = (place: Origin | undefined): string => `${place?.file}#${place?.name}`

/** The entries of `package.json` and their sources: `fanlight/profiler` is `src/profiler.ts`. */
export function entryFiles(root: string): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { readonly default: string }>
  }
  return new Map(
    Object.entries(exports)
      .map(([entry, file]) => [entry, typeof file === 'string' ? file : file.default] as const)
      .filter(([, file]) => file.startsWith('./dist/'))
      .map(([entry, file]) => [
        path.posix.join('fanlight', entry),
        path.join(root, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
      ]),
  )
}

/** Reads the public interface from the sources. */
export function readPublicApi(root: string): readonly Entry[] {
  const files = new Map<string, SourceFile>()
  const names = new Map<string, PublicName>()
  const fileAt = (file: string): SourceFile => {
    const known = files.get(file) ?? readDeclarations(file)
    files.set(file, known)
    return known
  }
  /** Follows a name to the file that declares it; `undefined` for one of another package. */
  const follow = ({ file, name }: Origin): Origin | undefined => {
    if (!file.startsWith(root)) return undefined
    const source = fileAt(file)
    if (source.declarations.has(name)) return { file, name }
    const next = source.exports.get(name) ?? source.imports.get(name)
    return next === undefined || (next.file === file && next.name === name) ? undefined : follow(next)
  }
  const add = (origin: Origin, entry: string, depth: number): PublicName | undefined => {
    const place = follow(origin)
    if (place === undefined) return undefined
    const key = keyOf(place)
    const known = names.get(key)
    if (known !== undefined) return known
    const declaration = fileAt(place.file).declarations.get(place.name)
    if (declaration === undefined) return undefined
    // An alias without members that nobody can import and nobody describes only computes other types.
    const isPlain = declaration.members.length === 0 && (declaration.doc === '' || depth === furthest)
    if (depth > 0 && isPlain) return undefined
    const uses: PublicName[] = []
    const found = { ...declaration, entry, depth, file: path.relative(root, place.file), uses }
    names.set(key, found)
    return found
  }
  const entries = [...entryFiles(root)]
  for (const [entry, file] of entries) {
    for (const origin of fileAt(file).exports.values()) add(origin, entry, 0)
  }
  // A map hands out what is added while it is read.
  for (const [key, found] of names) {
    const file = key.slice(0, key.lastIndexOf('#'))
    for (const name of found.names) {
      const isNear = found.depth < furthest || names.has(keyOf(follow({ file, name })))
      const used = name !== found.name && isNear ? add({ file, name }, found.entry, found.depth + 1) : undefined
      if (used !== undefined) (found.uses as PublicName[]).push(used)
    }
  }
  for (const [key, found] of names)
    names.set(key, { ...found, members: found.members.map((own) => described(own, found)) })
  return entries.map(([name, file]) => ({
    name,
    purpose: fileAt(file).head,
    names: [...names.values()].filter(({ entry }) => entry === name),
  }))
}
