// The result of routing. Only a request that no route matched is explained route by route.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { placeText } from '../../framework/routing/definition-error.ts'
import type { BuiltInCollector, RouterMiss } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'
import { parameterFields, type Fields } from './request.ts'

export interface RouterData extends RouterMiss {
  readonly path: string
  readonly method: string
  readonly route: string | null
  readonly pattern: string | null
  readonly definedAt: string | null
  readonly parameters: Fields
}

export function routerCollector(redactor: Redactor): BuiltInCollector<RouterData> {
  return {
    name: 'router',
    collect: ({ request, route, params, isSubRequest, parts }) => {
      if (isSubRequest) return undefined
      return {
        path: redactor.url(request.path),
        method: request.method,
        route: route?.name ?? null,
        pattern: route?.path ?? null,
        definedAt: placeText(route?.definedAt ?? null),
        parameters: parameterFields(params, redactor),
        ...(parts.miss ?? { trace: [], droppedRoutes: 0, suggestions: [] }),
      }
    },
    cut: (data, maxBytes) => {
      const trace = cutList(data.trace, maxBytes)
      return { ...data, trace, droppedRoutes: data.droppedRoutes + data.trace.length - trace.length }
    },
  }
}
