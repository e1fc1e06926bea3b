// Paths of routes as frameworks write them, in the form of our own routes: `/orders/:id` becomes `/orders/{id}`.

/** A path in our syntax, with the requirements and defaults of its parameters. */
interface TranslatedPattern {
  readonly path: string
  readonly requirements?: Readonly<Record<string, string>>
  readonly defaults?: Readonly<Record<string, string>>
}

/**
 * Translates `:id`, `:id?`, `:id(\\d+)`, `:id{\\d+}`, `{/:id}`, `{id}`, `*`, `*rest`, `**` and `**:rest`. What it does not know stays as it is
 * written. Of a regular expression, `/^\/lots\/(\d+)$/`, the part after its last plain segment is a parameter.
 */
export function translatePattern(written: string): TranslatedPattern {
  const expression = /^(.*?)\/\^((?:\\\/[\w.-]*)+?\\\/)([^\\].*?|\\[^/].*?)(\$?)\/([a-z]*)$/.exec(written)
  if (expression !== null) return translateExpression(expression)
  const requirements: Record<string, string> = {}
  const defaults: Record<string, string> = {}
  let unnamed = 0
  const name = (given: string | undefined): string => {
    const base = given === undefined || given === '' ? `rest${unnamed++ === 0 ? '' : unnamed}` : given
    return base.replaceAll('-', '_')
  }
  const rest = (given: string | undefined): string => {
    const known = name(given)
    requirements[known] = '.*'
    return `{${known}}`
  }
  // `{/:id}` of Express 5: a part that may be missing.
  const flat = written.replaceAll(/\{\/([:*])([\w-]+)\}/g, (_, kind: string, param: string) =>
    kind === '*' ? `/*${param}` : `/:${param}?`,
  )
  const path = flat.replaceAll(
    /\*\*(?::([\w-]+))?|\*([\w-]+)?|:([\w-]+)(?:\(([^()]*)\)|\{([^{}]*)\})?(\?|\*|\+)?/g,
    (
      _,
      deep: string | undefined,
      wild: string | undefined,
      param: string | undefined,
      pattern: string | undefined,
      inBraces: string | undefined,
      mark: string | undefined,
    ) => {
      if (param === undefined) return rest(deep ?? wild)
      if (mark === '*' || mark === '+') return rest(param)
      const known = name(param)
      const requirement = pattern ?? inBraces
      if (requirement !== undefined && requirement !== '') requirements[known] = requirement
      if (mark === '?') defaults[known] = ''
      return `{${known}}`
    },
  )
  return { path, requirements, defaults }
}

function translateExpression([
  ,
  prefix = '',
  start = '',
  rest = '',
  end,
  flags = '',
]: RegExpExecArray): TranslatedPattern {
  const whole = end === '$' ? rest : `${rest}.*`
  const requirement = flags.includes('i') ? `(?i:${whole})` : whole
  return { path: `${prefix}${start.replaceAll('\\/', '/')}{rest}`, requirements: { rest: requirement } }
}
