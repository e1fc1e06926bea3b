// Tells the pieces of JavaScript and TypeScript apart: comments, texts, numbers and kinds of words.

type Token = [kind: string, text: string]

/** Kinds of pieces, each by its expression without groups. The first one that fits is taken; what has no kind is plain. */
const rules: readonly (readonly [kind: string, rule: RegExp])[] = [
  ['cmnt', /\/\/.*|\/\*[^]*?(?:\*\/|$)/],
  ['str', /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/],
  // An expression, where nothing can be divided.
  [
    'str',
    /\/(?<=(?:^|[^\w$)\]'"`\s<]|\b(?:await|case|in|of|return|throw|typeof|void|yield))\s*\/)(?:\[(?:\\.|[^\]\\\n]){0,200}\]|\\.|[^\n/\\[]){1,500}\/\w*/,
  ],
  ['', /[A-Za-z_$][\w$]*(?=:)/],
  ['type', /(?<=[:|<] ?)(?:any|bigint|boolean|never|number|object|string|symbol|unknown|void)\b/],
  [
    'kwd',
    /=>|(?<!(?<!\.)\.)\b(?:abstract|as|async|await|break|case|catch|class|const|constructor|continue|debugger|declare|default|delete|do|else|enum|export|extends|finally|for|from|function|get|if|implements|import|in|instanceof|interface|let|namespace|new|of|package|private|protected|public|readonly|return|satisfies|set|static|super|switch|this|throw|try|type|typeof|var|void|while|with|yield)\b/,
  ],
  ['bool', /\b(?:true|false)\b/],
  ['num', /\.?\b\d[\w.]*|\b(?:null|undefined|NaN|[A-Z][A-Z_]*)\b/],
  ['class', /\b[A-Z][\w$]*/],
  ['func', /[A-Za-z_$][\w$]*(?=\s*(?:\(|\?\.\(|=\s*(?:async\b|function\b|[\w$]+ =>|\([^()]{0,200}\) =>)))/],
  ['', /[\w$\u0080-\uffff]+|[`{}]/],
]
const pieces = new RegExp(rules.map(([, { source }]) => `(${source})`).join('|'), 'g')

/** From the mark that opens a template, or ends code in it, to the next mark. */
const templatePart = /[`}](?:\\[^]|\$(?!\{)|[^\\$`])*(`|\$\{|)/y

/** The pieces of each line. Throws where a text is too much for an expression. */
export function codeTokens(code: string): Token[][] {
  let line: Token[] = []
  const lines = [line]
  let at = 0
  const add = (kind: string, end: number): void => {
    for (let until = at; at < end; at = until) {
      const newline = code.indexOf('\n', at)
      until = newline < 0 || newline >= end ? end : newline
      const previous = line.at(-1)
      if (previous?.[0] === kind) previous[1] += code.slice(at, until)
      else if (until > at) line.push([kind, code.slice(at, until)])
      if (until === newline) {
        lines.push((line = []))
        until += 1
      }
    }
  }
  /** Braces that are open in the code of each template around a place. */
  const templates: number[] = []
  pieces.lastIndex = 0
  for (let found = pieces.exec(code); found !== null; found = pieces.exec(code)) {
    const [piece] = found
    add('', found.index)
    if (piece === '`' || (piece === '}' && templates.at(-1) === 0)) {
      templatePart.lastIndex = at
      const [part, mark] = templatePart.exec(code) ?? [piece]
      if (piece === '}') templates.pop()
      if (mark === '${') templates.push(0)
      pieces.lastIndex = at + part.length
      add('str', pieces.lastIndex)
    } else if (piece === '{' || piece === '}') {
      if (templates.length > 0) templates.push((templates.pop() ?? 0) + (piece === '{' ? 1 : -1))
    } else add(rules[found.indexOf(piece, 1) - 1]?.[0] ?? '', pieces.lastIndex)
  }
  add('', code.length)
  return lines
}
