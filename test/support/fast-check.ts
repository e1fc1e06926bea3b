// fast-check with the seed of the whole check, so that a change lands or not by what it changed and not by chance. With
// `FANLIGHT_TEST_SEED=random npm test`, or with the seed of a finding, properties see other values; `npm run fuzz` has seeds of its own.

import * as fc from 'fast-check'

const { FANLIGHT_TEST_SEED: seed = '20261121' } = process.env
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

export { fc }
