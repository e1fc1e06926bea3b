// TypeScript that has to be compiled.

import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** TypeScript that has to be compiled. */
export const unsupportedTypescript: HintRule = {
  name: 'unsupported-typescript',
  ...knownByCode(
    'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
    'ERR_INVALID_TYPESCRIPT_SYNTAX',
    'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  ),
  explain: () => ({
    title: 'Node cannot run this TypeScript without compiling it',
    text:
      'Node only takes types away. Enums, parameter properties, namespaces with values and import aliases ' +
      'need a compiler; "erasableSyntaxOnly" in tsconfig.json finds them. Files in node_modules must be ' +
      'JavaScript.',
  }),
}
