// Transporters of nodemailer.

import type { LoadHook } from '../integration.ts'
import { observeAtFirstUse } from './observe-at-first-use.ts'
import { observe } from './observers.ts'

const files: readonly Required<Pick<LoadHook, 'file' | 'value' | 'majors'>>[] = [
  { file: 'lib/mailer/index.js', value: 'module.exports', majors: [6, 7, 8, 9] },
  { file: 'dist/cjs/mailer/index.js', value: 'module.exports', majors: [10] },
  { file: 'dist/esm/mailer/index.js', value: 'Mail', majors: [10] },
]

/** Below `@nestjs-modules/mailer` and the like, too: they use this package. */
export const mailHooks: readonly LoadHook[] = files.map(({ file, value: expression, majors }) => ({
  package: 'nodemailer',
  file,
  value: expression,
  majors,
  take: (value, observer) =>
    observeAtFirstUse(value, { place: 'nodemailer', methods: ['sendMail'], observe }, observer),
}))
