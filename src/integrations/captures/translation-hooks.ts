// Translations. All that an instance translates, and the function `t` of the package too, is translated by one method.

import type { LoadHook } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'
import { observers } from './observers.ts'

export const translationHooks: readonly LoadHook[] = ['dist/esm/i18next.js', 'dist/cjs/i18next.js'].map((file) => ({
  package: 'i18next',
  file,
  value: 'Translator',
  take: (value, observer) => {
    let loaded: ReturnType<typeof observers> | undefined
    replaceMethod(Reflect.get(Object(value), 'prototype'), 'translate', (translator, args, run) => {
      observer.guard('i18next: translate', () => {
        loaded ??= observers()
        loaded.noteTranslation(translator, args)
      })
      return run()
    })
  },
}))
