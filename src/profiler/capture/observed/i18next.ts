// Instances of `i18next`, and those that are made of them.

import { noteTranslation } from '../translations.ts'
import type { Observable } from './observable.ts'
import { hasMethods, wrapMethod } from './wrap-method.ts'

export const i18next: Observable = {
  what: 'an instance of i18next',
  fits: (target) =>
    hasMethods(target, ['t', 'getFixedT', 'cloneInstance', 'changeLanguage']) && Object.isExtensible(target),
  observe: (target) => {
    wrapMethod(target, 't', (_own, args, run) => {
      noteTranslation(Reflect.get(target, 'translator'), args)
      return run()
    })
    for (const name of ['cloneInstance', 'createInstance']) {
      wrapMethod(target, name, (_own, _args, run) => {
        const made = run()
        if (typeof made === 'object' && made !== null) i18next.observe(made)
        return made
      })
    }
  },
}
