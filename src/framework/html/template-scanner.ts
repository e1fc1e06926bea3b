// A small state machine over the constant markup of a template. It follows the HTML standard's tokenizer as far as needed
// to know in which place a value would land, and refuses the places that cannot be made safe.

/** The place of a value. `url`: an attribute that holds an address; `json`: the content of a JSON data block. */
export type Place = 'text' | 'attribute' | 'url' | 'json'

/** A value is where none is allowed, or a template ends in the middle of a tag. */
export class TemplatePlaceError extends Error {
  readonly code = 'ERR_TEMPLATE_PLACE'
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'TemplatePlaceError', configurable: true, writable: true })
  }
}

const urlAttributes: ReadonlySet<string> = new Set(
  'href src action formaction poster cite data background ping manifest xlink:href'.split(' '),
)
const closedAttributes: ReadonlySet<string> = new Set(['style', 'srcdoc', 'srcset', 'imagesrcset', 'http-equiv'])
const escapableElements: ReadonlySet<string> = new Set(['title', 'textarea'])
const rawElements: ReadonlySet<string> = new Set(
  'title textarea script style xmp iframe noembed noframes plaintext'.split(' '),
)

type State =
  | 'text'
  | 'tag start'
  | 'tag name'
  | 'tag'
  | 'attribute name'
  | 'attribute value start'
  | 'attribute value'
  | 'unquoted attribute value'
  | 'raw text'
  | 'comment'
  | 'declaration'

/** Follows the markup of one template, string by string. */
export class TemplateScanner {
  /** Quote around the attribute that is open, or was open last. */
  quote = '"'
  /** Where the value of the open attribute starts in the string read last; 0 when it began in an earlier one. */
  valueStart = 0
  #state: State = 'text'
  #string = ''
  #tagName = ''
  #attributeName = ''
  #attributeValue = ''
  #isJsonBlock = false
  #isRefresh = false
  #hasValue = false

  /** Reads the next constant string. */
  read(string: string): void {
    this.#string = string
    this.valueStart = 0
    for (let index = this.#takeRun(0); index < string.length; index = this.#takeRun(index + 1)) {
      this.#step(string.charAt(index), index)
    }
  }

  /**
   * Takes what plainly goes on: a text, a name, a value in quotes. Gives the index of the next character that may end it. Most of
   * a template is inside one of them: every start would pay for a look at each character.
   */
  #takeRun(index: number): number {
    const string = this.#string
    switch (this.#state) {
      case 'text':
      case 'raw text':
        return indexOrEnd(string, '<', index)
      case 'tag name': {
        const end = endOfRun(nameRun, string, index)
        this.#tagName += string.slice(index, end).toLowerCase()
        return end
      }
      case 'tag':
        return endOfRun(spaceRun, string, index)
      case 'attribute name': {
        const end = endOfRun(nameRun, string, index)
        this.#attributeName += string.slice(index, end).toLowerCase()
        return end
      }
      case 'attribute value': {
        const end = indexOrEnd(string, this.quote, index)
        this.#attributeValue += string.slice(index, end)
        return end
      }
      default:
        return index
    }
  }

  /** Place of the value that follows the string read last. `number` counts values from 1, for the message. */
  placeOfValue(number: number): Place {
    const refusal = this.#refusal()
    if (refusal !== null) {
      throw new TemplatePlaceError(`Value ${number} of a template is ${refusal}: ${this.#spot()}`)
    }
    if (this.#state === 'raw text') return this.#isJsonBlock ? 'json' : 'text'
    if (this.#state === 'text') return 'text'
    this.#hasValue = true
    return urlAttributes.has(this.#attributeName) ? 'url' : 'attribute'
  }

  /** Ends the template. Throws when it stops inside a tag, an attribute, a comment, a script or a style. */
  finish(): void {
    if (this.#state !== 'text') {
      throw new TemplatePlaceError(
        `A template must end between tags, but this one ends inside a ${this.#state}: ${this.#spot()}`,
      )
    }
  }

  #refusal(): string | null {
    switch (this.#state) {
      case 'text':
        return null
      case 'attribute value':
        return this.#refusalInAttribute()
      case 'raw text':
        if (this.#isJsonBlock || escapableElements.has(this.#tagName)) return null
        return `inside <${this.#tagName}>, where nothing can be escaped`
      case 'comment':
      case 'declaration':
        return `inside a ${this.#state}, where nothing can be escaped`
      case 'attribute value start':
      case 'unquoted attribute value':
        return `in an attribute without quotes; write ${this.#attributeName}="\${…}"`
      case 'tag start':
      case 'tag name':
        return 'in the name of a tag, which must be constant'
      default:
        return 'in the name of an attribute, which must be constant; write two templates and choose one'
    }
  }

  #refusalInAttribute(): string | null {
    const name = this.#attributeName
    if (name.startsWith('on')) return `in the script of the attribute "${name}"; put data into a JSON block`
    if (closedAttributes.has(name)) return `in the attribute "${name}", which must be constant`
    return this.#isRefresh ? 'in a <meta http-equiv>, which must be constant' : null
  }

  /** Takes one character, where `#takeRun` has stopped. */
  #step(character: string, index: number): void {
    switch (this.#state) {
      case 'text':
        this.#state = 'tag start'
        return
      case 'tag start':
        this.#startTag(character, index)
        return
      case 'tag name':
        if (isSpace(character) || character === '/') this.#state = 'tag'
        else if (character === '>') this.#endTag()
        else this.#tagName += character.toLowerCase()
        return
      case 'tag':
        if (character === '>') this.#endTag()
        else if (!isSpace(character) && character !== '/') this.#startAttribute(character)
        return
      case 'attribute name':
        if (character === '=') this.#state = 'attribute value start'
        else if (character === '>') this.#endTag()
        else if (isSpace(character) || character === '/') this.#state = 'tag'
        else this.#attributeName += this.#nameCharacter(character)
        return
      case 'attribute value start':
        this.#startValue(character, index)
        return
      case 'attribute value':
        this.#endValue()
        return
      case 'unquoted attribute value':
        if (character === '>') this.#endTag()
        else if (isSpace(character)) this.#endValue()
        else this.#attributeValue += character
        return
      case 'raw text':
        if (this.#closesRawText(index)) this.#state = 'tag start'
        return
      case 'comment':
        if (character === '>' && this.#string.slice(0, index).endsWith('--')) this.#state = 'text'
        return
      case 'declaration':
        if (character === '>') this.#state = 'text'
    }
  }

  #startTag(character: string, index: number): void {
    if (character === '<') return
    if (character === '!') this.#state = this.#string.startsWith('--', index + 1) ? 'comment' : 'declaration'
    else if (character === '?') this.#state = 'declaration'
    else if (/[a-z/]/i.test(character)) {
      this.#state = 'tag name'
      this.#tagName = character.toLowerCase()
      this.#isJsonBlock = false
      this.#isRefresh = false
      this.#hasValue = false
    } else this.#state = 'text'
  }

  #startAttribute(character: string): void {
    this.#state = 'attribute name'
    this.#attributeName = this.#nameCharacter(character)
    this.#attributeValue = ''
  }

  // Spaces around `=` and stray quotes are legal enough for a browser, but not worth following.
  #nameCharacter(character: string): string {
    if (character !== '"' && character !== "'" && character !== '<' && character !== '=') return character.toLowerCase()
    throw new TemplatePlaceError(`A template has a stray ${character} in <${this.#tagName}>: ${this.#spot()}`)
  }

  #startValue(character: string, index: number): void {
    if (isSpace(character)) return
    if (character === '>') return this.#endTag()
    if (character === '"' || character === "'") {
      this.#state = 'attribute value'
      this.quote = character
      this.valueStart = index + 1
    } else {
      this.#state = 'unquoted attribute value'
      this.#attributeValue = character
    }
  }

  #endValue(): void {
    this.#state = 'tag'
    if (this.#tagName === 'script' && this.#attributeName === 'type') {
      this.#isJsonBlock = this.#attributeValue === 'application/json'
    }
    if (this.#tagName === 'meta' && this.#attributeName === 'http-equiv') {
      this.#isRefresh = true
      if (this.#hasValue) throw new TemplatePlaceError(`A value is in a <meta http-equiv>: ${this.#spot()}`)
    }
  }

  #endTag(): void {
    this.#state = rawElements.has(this.#tagName) ? 'raw text' : 'text'
  }

  #closesRawText(index: number): boolean {
    const end = this.#string.slice(index + 1, index + 2 + this.#tagName.length + 1).toLowerCase()
    return end.startsWith(`/${this.#tagName}`) && /^(?:[\s/>]|$)/.test(end.slice(this.#tagName.length + 1))
  }

  #spot(): string {
    return `${this.#string.trimStart().slice(-60)}▸`
  }
}

/** What goes on with a name, whatever kind of name it is. */
const nameRun = /[^\s/>="'<]*/y
/** White space and slashes between attributes. */
const spaceRun = /[ \n\t\r\f/]*/y

function endOfRun(run: RegExp, string: string, index: number): number {
  run.lastIndex = index
  run.test(string)
  return run.lastIndex
}

function indexOrEnd(string: string, character: string, from: number): number {
  const index = string.indexOf(character, from)
  return index < 0 ? string.length : index
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r' || character === '\f'
}
