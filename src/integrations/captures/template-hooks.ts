// Template engines.

import type { LoadHook } from '../integration.ts'
import { observeAtFirstUse, observeClassAtFirstUse, observeObjectAtFirstUse } from './observe-at-first-use.ts'
import { observe } from './observers.ts'

const ejsMethods = { place: 'ejs', methods: ['compile'], observe }
const etaMethods = { place: 'eta', methods: ['render', 'renderAsync', 'renderString', 'renderStringAsync'], observe }
const etaClass = '({ get Eta() { return Eta }, set Eta(value) { Eta = value } })'

/** Below `@fastify/view`, `express-handlebars` and the like, too: they use these packages. */
export const templateHooks: readonly LoadHook[] = [
  ...['lib/ejs.js', 'lib/cjs/ejs.js'].map((file): LoadHook => {
    const majors = file === 'lib/ejs.js' ? [2, 3] : [4, 5, 6, 7]
    const take: LoadHook['take'] = (value, observer) => observeObjectAtFirstUse(value, ejsMethods, observer)
    return { package: 'ejs', file, value: 'module.exports', majors, take }
  }),
  {
    package: 'ejs',
    file: 'lib/esm/ejs.js',
    value: 'ejs',
    majors: [4, 5, 6, 7],
    take: (value, observer) => observeObjectAtFirstUse(value, ejsMethods, observer),
  },
  {
    package: 'eta',
    file: 'dist/index.cjs',
    value: 'exports',
    majors: [4],
    take: (value, observer) => observeClassAtFirstUse(value, 'Eta', etaMethods, observer),
  },
  {
    package: 'eta',
    file: 'dist/index.mjs',
    value: etaClass,
    majors: [4],
    take: (value, observer) => observeClassAtFirstUse(value, 'Eta', etaMethods, observer),
  },
  {
    package: 'nunjucks',
    file: 'src/environment.js',
    value: 'module.exports.Environment',
    take: (value, observer) =>
      observeAtFirstUse(value, { place: 'nunjucks', methods: ['getTemplate', 'renderString'], observe }, observer),
  },
  {
    package: 'handlebars',
    file: 'dist/cjs/handlebars.js',
    value: 'module.exports',
    take: (value, observer) =>
      observeObjectAtFirstUse(value, { place: 'handlebars', methods: ['compile', 'create'], observe }, observer),
  },
]
