// Which routes a person looks for: a piece of text in anything that the table shows of a route.

import type { RouteFacts } from './routes-page-source.ts'

/** The routes that hold the text, whatever its case; all of them for an empty one. */
export function filterRoutes(routes: readonly RouteFacts[], part: string): readonly RouteFacts[] {
  const wanted = part.trim().toLowerCase()
  return wanted === '' ? routes : routes.filter((route) => shownTexts(route).some((text) => hasText(text, wanted)))
}

/** Methods for people: `GET, POST` or `any`. */
export function methodsText({ methods }: Pick<RouteFacts, 'methods'>): string {
  return methods.length === 0 ? 'any' : methods.join(', ')
}

function shownTexts(route: RouteFacts): readonly string[] {
  const { name, path, host, schemes, handler, definedAt } = route
  return [name, methodsText(route), path, host, ...schemes, handler, definedAt ?? '']
}

function hasText(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted)
}
