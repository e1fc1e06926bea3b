// A handler without an answer.

import type { DefinitionPlace } from '../../framework/routing/definition-error.ts'
import { placeText } from '../../framework/routing/defined-at.ts'
import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A handler without an answer. */
export const handlerReturnedNothing: HintRule = {
  name: 'handler-returned-nothing',
  ...knownByCode('ERR_HANDLER_RESULT'),
  explain: (_error, { route }) => ({
    title: 'The handler returned no answer',
    text:
      'Every way through a handler must return an answer, and what is asynchronous must be awaited: look ' +
      'for a branch without return, and for an arrow function whose braces need a return.' +
      routePlace(route?.definedAt ?? null),
  }),
}

function routePlace(place: DefinitionPlace | null): string {
  return place === null ? '' : ` The route is defined at ${placeText(place)}.`
}
