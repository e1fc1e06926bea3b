// Paths that look like those of other routers. Here they would be text, so that the route is never found.

import { DefinitionFault } from './definition-error.ts'
import { takeInlineParts } from './path-pattern.ts'
import { requirementTypeNames } from './requirement-types.ts'

const parametersAreWritten = 'parameters are written {id}'

/** What to say of a part of a path. `#` means a parameter. */
const lookAlikes: readonly (readonly [RegExp, string])[] = [
  [/^[a-z][a-z0-9+.-]*:\/\//i, 'a path begins with a slash; scheme and host are the options schemes and host.'],
  [/\?[\w.[\]-]+=/, 'the query is not a part of the path; read it in the handler: exchange.request.query.'],
  [/(?<=^|\/):\w/, `${parametersAreWritten}; a colon that is text is written {colon<:>}.`],
  [
    /(?<=^|\/)\*/,
    String.raw`the rest of a path is written {path<path>}, one segment {name}; a star that is text is written {star<\*>}.`,
  ],
  [/\{\w+:/, String.raw`a requirement is written {id<\d+>}.`],
  [/\{(?:\*|\.\.\.)/, 'the rest of a path is written {path<path>}.'],
  [/\{[^}]*$/, `this brace is not closed; ${parametersAreWritten}.`],
  [
    /\{/,
    `${parametersAreWritten}, with a name of letters, digits and _; a brace that is text is written {brace<\\{>}.`,
  ],
  [/\}/, `this brace closes nothing; ${parametersAreWritten}, a brace that is text {brace<\\}>}.`],
]

/** Words that other routers have for requirements. Here they would be text. */
const foreignTypes: ReadonlySet<string> = new Set(
  'alnum,alpha,any,bool,boolean,datetime,decimal,digits,double,float,guid,integer,long,number,num,str,string'.split(
    ',',
  ),
)

/** Throws a `DefinitionFault` that says how the part is written here. */
export function refuseLookAlikes(path: string): void {
  // Parameters keep their length, so that the caret shows the spot.
  const rest = path.replaceAll(/\{!?[\w\u0080-\uffff]+(?:<.*?>)?(?:\?[^}]*)?\}/g, (param) => '#'.repeat(param.length))
  for (const [pattern, advice] of lookAlikes) {
    const found = pattern.exec(rest)
    if (found !== null) throw new DefinitionFault(advice, path, found.index)
  }
  for (const [name, requirement] of Object.entries(takeInlineParts(path).requirements)) {
    if (!foreignTypes.has(requirement)) continue
    throw new DefinitionFault(
      `"${requirement}" matches only this word; the types are ${requirementTypeNames.join(', ')}, else write an expression.`,
      path,
      path.indexOf(name) + name.length + 1,
    )
  }
}
