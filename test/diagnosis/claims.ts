// What each sentence of *Where to change it* claims of a line of a drawn program, and whether it holds there.

/** What is known of a line. */
export interface ClaimedLine {
  readonly text: string
  readonly is: string | undefined
  readonly message: string
  /** What the query on this line gave. */
  readonly result: string | null
}

const holds: readonly (readonly [says: RegExp, isTrue: (line: ClaimedLine, ...parts: readonly string[]) => boolean])[] =
  [
    [/^is the line that failed$/, ({ is }) => is === 'failed' || is === 'query'],
    [/^got (.+?)(?: in this request)?$/, ({ is, result }, said) => is === 'query' && result === said],
    [/^calls `(\w+)\(\)` without await/, ({ is, text }, name) => is === 'fault' && text.includes(`${name}(`)],
    [
      /^selects `(\w+)`, but `(\w+)` is read$/,
      ({ text }, one = '', other = '') => text.includes(one) && !text.includes(other),
    ],
    [/^reads `(\w+)`, but the query selects `\w+`$/, ({ text }, name = '') => text.includes(`.${name}`)],
    [/^reads API_HOST, which /, ({ is }) => is === 'fault'],
    [/^reads PAGE_SIZE, which is set$/, ({ text }) => text.includes('PAGE_SIZE')],
    [
      /^contains the `(.+)` from the message$/,
      ({ text, message }, said = '') => text.includes(said) && message.includes(said),
    ],
    [/^is what `(\w+)` returns$/, ({ text }) => /return |=>/.test(text)],
    [/^is what the callback of (\w+)\(\) returns$/, ({ text }, name = '') => text.includes(`.${name}(`)],
    [/^assigns `(\S+)`$/, ({ text }, name = '') => text.includes(`${name} = `)],
    [/^defines `(\S+)`$/, ({ text }, name = '') => new RegExp(`\\b${name}\\b['"]?(?:: [^=]*)?\\s*[:=]`).test(text)],
    [/^passes `(.+)`(?: as `\w+`|, of which `\w+` is read)$/, ({ text }) => text.includes('(')],
    [/^calls `(.+)`$/, ({ text }, name = '') => text.includes(name.replace(/\(\).*$/, ''))],
    [/^`(.+)` may have nothing under this key$/, ({ text }) => text.includes('.get(')],
  ]

/** Why a sentence is wrong; `null` if it holds. A sentence that is in no row counts as wrong. */
export function wrongClaim(why: string, line: ClaimedLine): string | null {
  if (line.is === 'later') return 'that line had not run'
  for (const [says, isTrue] of holds) {
    const match = says.exec(why)
    if (match !== null) return isTrue(line, ...match.slice(1)) ? null : 'it does not hold there'
  }
  return 'nothing in the program makes it true'
}
