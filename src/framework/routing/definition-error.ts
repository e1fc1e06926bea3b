// The error of a mistake in a route's definition. It shows the text, a caret under the spot, and where the route is defined.

/** File and line of a definition. */
export interface DefinitionPlace {
  /** Absolute path, or the URL of the module. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

/** What is wrong, and where in which text. */
export interface DefinitionMistake {
  readonly reason: string
  /** The pattern or requirement that holds the mistake. */
  readonly text: string
  /** Offset of the spot in `text`. */
  readonly offset: number
}

/** A route that cannot be built. Thrown when it is added, with the place of the caller. */
export class RouteDefinitionError extends Error {
  readonly routeName: string
  readonly mistake: DefinitionMistake
  /** `null` where the place of the definition is unknown. */
  readonly definedAt: DefinitionPlace | null

  constructor(routeName: string, mistake: DefinitionMistake, definedAt: DefinitionPlace | null) {
    const place = definedAt === null ? '' : `\n  defined at ${definedAt.file}:${definedAt.line}`
    super(`Route "${routeName}": ${mistake.reason}\n  ${mistake.text}\n  ${' '.repeat(mistake.offset)}^${place}`)
    this.routeName = routeName
    this.mistake = mistake
    this.definedAt = definedAt
  }
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'RouteDefinitionError', configurable: true, writable: true })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_ROUTE_DEFINITION' {
    return 'ERR_ROUTE_DEFINITION'
  }
}

/** A mistake on its way to whoever knows the route's name and place. Never leaves this folder. */
export class DefinitionFault extends Error {
  readonly mistake: DefinitionMistake

  constructor(reason: string, text: string, offset = 0) {
    super(reason)
    this.mistake = { reason, text, offset }
  }
}
