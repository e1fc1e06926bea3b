// Hints about modules, imports and TypeScript that Node cannot load.

import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { nearWords } from '../../framework/options/nearest-name.ts'
import type { FlattenedError } from '../flattened-error.ts'
import { byCode, byMessage, firstGroup, type BuiltInHint } from './hint.ts'

export const moduleHints: readonly BuiltInHint[] = [
  {
    name: 'module-not-found',
    matches: byCode('ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'),
    explain: (error) => {
      const wanted = firstGroup(/(?:module|package|import|Directory import) '([^']+)'/, error.message)
      const isFile = wanted.startsWith('/') || wanted.startsWith('.')
      if (isFile)
        return { title: `Module not found: ${basename(wanted)}`, text: `${nearText(wanted)}${pathText(error)}` }
      const text = `Install it with "npm install ${wanted}", or check the spelling. A workspace package must be linked first.`
      return { title: `The package ${wanted} is not installed`, text }
    },
  },
  {
    name: 'missing-export',
    matches: byMessage(/does not provide an export named/),
    explain: (error) => ({
      title: `The module has no export named ${firstGroup(/named '([^']+)'/, error.message)}`,
      text:
        'Check the spelling, and whether it is the default export. A type imported without "import type" ' +
        'fails the same way, because types are gone when the code runs.',
    }),
  },
  {
    name: 'commonjs-in-module',
    matches: byMessage(/is not defined in ES module scope/),
    explain: (error) => ({
      title: `${firstGroup(/^(\S+)/, error.message)} does not exist in ES modules`,
      text:
        'Use import instead of require, export instead of module.exports, import.meta.dirname and ' +
        'import.meta.filename instead of __dirname and __filename.',
    }),
  },
  {
    name: 'path-not-exported',
    matches: byCode('ERR_PACKAGE_PATH_NOT_EXPORTED'),
    explain: () => ({
      title: 'The package does not export that file',
      text:
        'Only paths listed under "exports" in its package.json can be imported. Import the main entry, or ' +
        'look there for the public path.',
    }),
  },
  {
    name: 'unsupported-typescript',
    matches: byCode('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'),
    explain: () => ({
      title: 'Node cannot run this TypeScript without compiling it',
      text:
        'Node only strips types. Enums, parameter properties, namespaces with values and import aliases need ' +
        'a compiler; "erasableSyntaxOnly" in tsconfig.json finds them. Files in node_modules must be JavaScript.',
    }),
  },
]

function pathText(error: FlattenedError): string {
  const hasExtension = /\.\w+'/.test(error.message)
  if (hasExtension) return 'The path is relative to the importing file.'
  return 'ES modules are imported with their extension, and a directory by its index file.'
}

function nearText(wanted: string): string {
  const names = nearWords(basename(wanted), siblings(wanted))
  return names.length === 0 ? '' : `Did you mean ${names.join(', ')}? `
}

function siblings(path: string): string[] {
  try {
    const names = readdirSync(dirname(path)).filter((name) => !name.startsWith('.'))
    return names.slice(0, 500)
  } catch {
    return []
  }
}
