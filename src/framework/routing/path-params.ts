// Reads the parameters of a path literal at the level of types: `/products/{slug}` gives `{ slug: string }`.

/** Names in a pattern as `name` (required) or `name?` (has an inline default) or `name??` (its default is nothing: `{x?}`). */
type Marked<Pattern extends string> = Pattern extends `${string}{${infer Rest}`
  ? Rest extends `!${infer Important}`
    ? MarkedAfterBrace<Important, ''>
    : MarkedAfterBrace<Rest, ''>
  : never

type MarkedAfterBrace<Rest extends string, Name extends string> = Rest extends `${infer Char}${infer Tail}`
  ? Char extends '}'
    ? Exclude<Name, ''> | Marked<Tail>
    : Char extends '?'
      ? MarkedDefault<Name, Tail>
      : Char extends '<'
        ? MarkedAfterRequirement<Name, Tail>
        : Char extends NoNameChar
          ? Marked<Tail>
          : MarkedAfterBrace<Tail, `${Name}${Char}`>
  : never

/** Characters that make a brace an ordinary character: `{x y}`. */
type NoNameChar = ' ' | '/' | '-' | '.' | ',' | ';' | ':' | '{' | '"'

type MarkedDefault<Name extends string, Rest extends string> = Rest extends `${infer Value}}${infer Tail}`
  ? (Value extends '' ? `${Name}??` : `${Name}?`) | Marked<Tail>
  : never

/** A requirement ends at the first `>` that `}` or a default follows. */
type MarkedAfterRequirement<Name extends string, Rest extends string> = Rest extends `${string}>${infer Tail}`
  ? Tail extends `}${infer Next}`
    ? Name | Marked<Next>
    : Tail extends `?${infer Default}`
      ? MarkedDefault<Name, Default>
      : MarkedAfterRequirement<Name, Tail>
  : never

type NameOf<Mark extends string> = Mark extends `${infer Name}??` ? Name : Mark extends `${infer Name}?` ? Name : Mark

/** Inline defaults that are nothing. */
type NullName<Mark extends string> = Mark extends `${infer Name}??` ? Name : never

type RequiredName<Mark extends string> = Mark extends `${string}?` ? never : Mark

/** Makes one flat object type, readable in an editor. */
type Flat<T> = { readonly [Key in keyof T]: T[Key] }

/**
 * Parameters as a handler gets them: `Params<'/archive/{year<\\d+>}/{month?}'>` is `{ year: string; month: string | null }`.
 * A path that is not a literal gives a record of strings.
 */
export type Params<Pattern extends string> = string extends Pattern
  ? Readonly<Record<string, string>>
  : Flat<{
      [Mark in Marked<Pattern> as NameOf<Mark>]: NameOf<Mark> extends NullName<Marked<Pattern>> ? string | null : string
    }>

/** What the URL generator takes for a parameter; `null` takes the default. */
export type UrlParam = string | number | boolean | null

/** Parameters as the URL generator takes them: those with a default may be left out, further ones go to the query. */
export type UrlParams<Pattern extends string> = string extends Pattern
  ? Readonly<Record<string, unknown>>
  : Flat<
      { [Mark in Marked<Pattern> as RequiredName<Mark>]: UrlParam } & {
        [Mark in Marked<Pattern> as Exclude<NameOf<Mark>, RequiredName<Mark>>]?: UrlParam
      }
    >

/** Names of the parameters that a URL cannot do without. */
export type RequiredParamNames<Pattern extends string> = RequiredName<Marked<Pattern>>
