// Parses TypeScript and JavaScript, whatever is in the file.

import type * as BabelParser from '@babel/parser'
import { createRequire } from 'node:module'
import type { SourceFile } from '../source-files.ts'
import { SourceTree } from './source-tree.ts'

const maxChars = 400_000
const parsedExtensions = /\.[mc]?[jt]sx?$/

/** What a file imports and loads with a written specifier, without parsing it; types that are imported as such are left out. */
export function importsIn({ path, lines }: SourceFile): string[] {
  if (!parsedExtensions.test(path)) return []
  const found = lines.join('\n').matchAll(loading)
  return Array.from(found, ([, isType, , from = '']) => (isType === undefined ? from : '')).filter(
    (from) => from !== '',
  )
}

const loading =
  /(?:\b(?:im|ex)port\s+(type)\s+(?!from\b)[^'"`;=]*)?\b(?:from|import|require)\s*\(?\s*(['"])([^'"\n]+)\2/g

/** The tree of a file; `null` if it is not a program, too large, or cannot be parsed. Never throws. */
export function readTree(file: SourceFile): SourceTree | null {
  const text = file.lines.join('\n')
  if (!parsedExtensions.test(file.path) || text.length > maxChars || text.includes('\0')) return null
  try {
    const plugins: BabelParser.ParserPlugin[] = /\.[mc]?ts$/.test(file.path) ? ['typescript'] : ['jsx']
    if (file.path.endsWith('.tsx')) plugins.push('typescript')
    // Half a megabyte, loaded with the first file.
    const { parse } = createRequire(import.meta.url)('@babel/parser') as typeof BabelParser
    const { program } = parse(text, {
      sourceType: 'unambiguous',
      plugins: [...plugins, 'decorators'],
      errorRecovery: true,
      attachComment: false,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    })
    return new SourceTree(file, text, program)
  } catch {
    return null
  }
}
