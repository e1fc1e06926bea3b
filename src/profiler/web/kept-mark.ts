// How every panel says that a list was cut: `412 of 1,912 lines kept.`

import type { SafeHtml } from '../../framework/html/html.ts'
import { cutMark } from '../../errors/page/page-budget.ts'

/** The mark; `null` where nothing is missing. `remark` goes on where it is given: `, the nearest ones`. */
export function keptMark(kept: number, dropped: number, what: string, remark = ''): SafeHtml | null {
  if (!(dropped > 0)) return null
  return cutMark(`${kept.toLocaleString('en')} of ${(kept + dropped).toLocaleString('en')} ${what} kept${remark}.`)
}
