// An import of a module that is not there, with the names that are near.

import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { nearWords } from '../../framework/routing/edit-distance.ts'
import type { FlattenedError } from '../flattened-error.ts'
import { firstGroup, knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** An import of a module that is not there. */
export const moduleNotFound: HintRule = {
  name: 'module-not-found',
  ...knownByCode('ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'),
  explain: (error) => {
    const wanted = firstGroup(/(?:module|package|import|Directory import) '([^']+)'/, error.message)
    if (!wanted.startsWith('/') && !wanted.startsWith('.')) {
      return {
        title: `The package ${wanted} is not installed`,
        text: `Install it with "npm install ${wanted}", or check the spelling. A package of the workspace has to be linked first.`,
      }
    }
    return {
      title: `There is no module ${basename(wanted)}`,
      text: `${nearText(wanted)} ${extensionText(error)}`.trim(),
    }
  },
}

function extensionText(error: FlattenedError): string {
  const isExtensionless = !/\.\w+'/.test(error.message)
  return isExtensionless
    ? 'ES modules are imported with their extension, and a directory by its index file.'
    : 'The path is relative to the file that imports.'
}

function nearText(wanted: string): string {
  const names = nearWords(basename(wanted), siblings(wanted))
  return names.length === 0 ? '' : `Near it: ${names.join(', ')}.`
}

/** Files beside the one that is missing, and the same names without extension. */
function siblings(path: string): string[] {
  try {
    return readdirSync(dirname(path))
      .filter((name) => !name.startsWith('.'))
      .slice(0, 500)
  } catch {
    return []
  }
}
