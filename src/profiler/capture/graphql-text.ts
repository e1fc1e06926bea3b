// A GraphQL document for people: a line for each field, without comments. Reads tokens and no grammar, so that what could not be parsed is
// shown as well.

const token =
  /"""[^]*?(?:"""|$)|"(?:[^"\\\n]|\\[^])*(?:"|(?=\n)|$)|#[^\n]*|\.\.\.|[A-Za-z_]\w*|-?\d[\w.+-]*|[\s,]+|[^]/g

/** Levels of indentation at most. */
const maxIndent = 30

/** Formats it. `maskValue` gives what is shown for a value that is written in it, by the name of its argument or field. */
export function graphqlText(source: string, maskValue: (name: string, value: string) => string): string {
  const writer = new Writer()
  let name = ''
  for (const [text] of source.matchAll(token)) {
    if (/^[\s,#]/.test(text)) continue
    if (text === ':' && isName(writer.last)) name = writer.last
    const isValue = text.startsWith('"') || /^-?\d/.test(text)
    writer.add(isValue ? shown(text, maskValue(name, valueOf(text))) : text)
  }
  return writer.text
}

function valueOf(text: string): string {
  const quote = /^(?:"""|"|)/.exec(text)?.[0] ?? ''
  const isClosed = text.length >= 2 * quote.length && text.endsWith(quote)
  return text.slice(quote.length, isClosed ? text.length - quote.length : undefined)
}

function shown(text: string, value: string): string {
  return text.startsWith('"') ? JSON.stringify(value) : value
}

function isName(text: string): boolean {
  return /^[A-Za-z_]/.test(text)
}

class Writer {
  text = ''
  last = ''
  #indent = 0
  /** Open brackets of arguments, variables and lists: what is in them stays on its line. */
  #inline: string[] = []

  add(text: string): void {
    this.#place(text)
    this.text += text
    this.last = text
    if (this.#inline.length > 0 || text === '(' || text === '[') this.#bracket(text)
    else if (text === '{') this.#indent += 1
  }

  #bracket(text: string): void {
    if ('([{'.includes(text)) this.#inline.push(text)
    else if (')]}'.includes(text)) this.#inline.pop()
  }

  #place(text: string): void {
    const { last } = this
    if (last === '') return
    if (this.#inline.length > 0) this.text += this.#gapInside(text)
    else if (text === '}') {
      this.#indent = Math.max(0, this.#indent - 1)
      this.#newLine()
    } else if (text === '{') this.text += ' '
    else if (last === '{' || last === '}' || (this.#indent > 0 && startsField(text, last))) this.#newLine()
    else if (!'(:!)'.includes(text) && !'$@:...'.includes(last)) this.text += ' '
    else if (last === ':' || (text !== '(' && last === '...' && text === 'on')) this.text += ' '
  }

  #gapInside(text: string): string {
    const { last } = this
    if ('([{$@'.includes(last) || ')]}!:'.includes(text)) return ''
    if (last === ':' || last === '=' || text === '=' || text === '@') return ' '
    return text === '(' ? '' : ', '
  }

  #newLine(): void {
    this.text += `\n${'  '.repeat(Math.min(this.#indent, maxIndent))}`
  }
}

/** After a field, an alias is followed by a colon and a directive begins with `@`. */
function startsField(text: string, last: string): boolean {
  return (isName(text) || text === '...') && ![':', '@', '...', 'on', '$'].includes(last)
}
