// Something was thrown that is no Error.

import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { HintRule } from './hint.ts'

/** Something was thrown that is no Error. */
export const notAnError: HintRule = {
  name: 'not-an-error',
  matches: (error) => !error.isError,
  explain: (error, exchange) => ({
    title: `A value of type ${error.className} was thrown instead of an Error`,
    text:
      `It carries no trace: all that is known is that it was caught ${caughtBehind(exchange)}. ` +
      'Throw new Error(…) and put the value into its cause.',
  }),
}

function caughtBehind({ handlerName, route }: Exchange): string {
  if (route === undefined) return 'before a route took the request'
  return `behind the handler "${handlerName === '' ? route.handlerName : handlerName}" of the route "${route.name}"`
}
