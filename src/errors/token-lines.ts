// Tokens of a whole text as they come, parted at line breaks.

/** The tokens, line by line; neighbours of one kind are one token. */
export class TokenLines {
  readonly lines: [kind: string, text: string][][] = [[]]
  #last: [kind: string, text: string][] = this.lines[0] ?? []

  /** Adds text that may have line breaks; without a kind it is plain, and so are operators. */
  readonly add = (text: string, type: string | undefined): void => {
    const kind = type === undefined || type === 'oper' ? '' : type
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.put(text.slice(start, end), kind)
      this.endLine()
      start = end + 1
    }
    this.put(start === 0 ? text : text.slice(start), kind)
  }

  /** What comes next stands on a line of its own. */
  endLine(): void {
    this.lines.push((this.#last = []))
  }

  /** Adds text without line breaks. */
  put(text: string, kind: string): void {
    if (text === '') return
    const line = this.#last
    // An index of -1 is no index to V8 but a name, which it looks for slowly.
    const previous = line.length === 0 ? undefined : line[line.length - 1]
    if (previous !== undefined && previous[0] === kind) previous[1] += text
    else line.push([kind, text])
  }
}
