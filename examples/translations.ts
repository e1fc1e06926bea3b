// A part of your own, for a library that the profiler does not know: which keys i18next looked up, and which have no text in the language
// that was asked for. `pages.ts` uses it.

import type { PostProcessorModule } from 'i18next'
import { currentExchange, exchangeKey, html, type Plugin } from '../src/index.ts'
import { badge, emptyState, keyValueTable, type Collector, type Panel } from '../src/profiler.ts'

interface Lookup {
  readonly asked: string
  readonly used: string | null
}

type Lookups = Readonly<Record<string, Lookup>>
const lookups = exchangeKey<Lookups>('translations')

/** For `i18next.use()`, with `postProcess: 'fanlight'` and `postProcessPassResolved: true` in the settings of `init()`. */
export const noteLookups: PostProcessorModule = {
  type: 'postProcessor',
  name: 'fanlight',
  process: (text, keys, { lng, i18nResolved }, translator) => {
    const exchange = currentExchange()
    const asked = String(lng ?? translator.language)
    const { res, usedLng } = (i18nResolved ?? {}) as { readonly res?: unknown; readonly usedLng?: string }
    const used = res === undefined ? null : (usedLng ?? null)
    exchange?.set(lookups, { ...exchange.get(lookups), [`${[keys].flat().at(-1)} in ${asked}`]: { asked, used } })
    return text
  },
}

const collector: Collector<Lookups> = { name: 'translations', collect: (exchange) => exchange.get(lookups) }

const panel: Panel<Lookups> = {
  name: 'translations',
  title: 'Translations',
  badge: (all) => {
    const missing = Object.values(all).filter(({ used }) => used === null).length
    return missing > 0 ? { count: missing, tone: 'warning' } : { count: Object.keys(all).length, tone: 'neutral' }
  },
  render: (all) =>
    all === undefined
      ? emptyState('Nothing was translated.')
      : keyValueTable(Object.entries(all).map(([key, lookup]) => [key, html`${outcomeOf(lookup)}`])),
}

function outcomeOf({ asked, used }: Lookup) {
  if (used === null) return badge('missing', 'error')
  return asked === used || asked.startsWith(`${used}-`)
    ? badge('found', 'success')
    : badge(`only in ${used}`, 'warning')
}

export const translations: Plugin = { name: 'translations', collectors: [collector], panels: [panel] }
