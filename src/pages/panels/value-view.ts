// A dumped value as a tree that folds: classes, sizes, circles by their path, and what was cut, at its place.

import { formatCount } from '../../base/html/components.ts'
import { html, type SafeHtml, scriptBlock, styleSheet } from '../../base/html/html.ts'
import type { PlainValue, ValueTree } from '../../base/redact/redactor.ts'
import { mask } from '../../base/redact/rules.ts'
import { isList } from '../../base/members.ts'

/** Levels that are unfolded; further ones are if they are small. */
const openLevels = 2
const smallSize = 5
/** Longer strings show their length. */
const longString = 60
/** Even longer ones are folded. */
const foldedString = 400
/** Lists of up to so many short members, and objects of half as many, are written on one line. */
const oneLine = 8
const shortString = 24
/** Levels that are drawn; the walk that makes a tree stops earlier. */
const maxLevels = 20

/** What was kept without a tree: all that JSON holds. */
export function plainTree(value: PlainValue, level = 0): ValueTree {
  if (typeof value !== 'object' || value === null) return value
  if (level > maxLevels) return { mark: '…' }
  if (isList(value)) return { head: '', list: value.map((member) => plainTree(member, level + 1)) }
  return { head: '', fields: Object.entries(value).map(([name, member]) => [name, plainTree(member, level + 1)]) }
}

/** `path` leads from the dumped value, `$`, to this one: a step for each level. */
export function valueView(tree: ValueTree, path: readonly string[] = ['$']): SafeHtml {
  if (typeof tree === 'string') return stringView(tree)
  if (typeof tree !== 'object' || tree === null) return html`<span class="t-num">${String(tree)}</span>`
  if ('mark' in tree) return html`<span class="v-mark">${classOfMark(tree.mark)}${tree.mark}</span>`
  if ('more' in tree) return html`<span class="v-mark">… ${formatCount(tree.more)} more, cut here</span>`
  if ('deep' in tree) return html`<span class="v-mark"><b>${tree.deep}</b> {…} cut here: too deep</span>`
  if ('circular' in tree) {
    return html`<span class="v-mark"
      >↻ circular, same as <code>${path.slice(0, tree.circular + 1).join('')}</code></span
    >`
  }
  return path.length > maxLevels ? html`<span class="v-mark">…</span>` : membersView(tree, path)
}

/** A mark is not a string: text that looks like a date or an address is one. */
function classOfMark(mark: string): SafeHtml | null {
  if (/^\d{4}-\d\d-\d\dT/.test(mark)) return html`<b>Date</b> `
  return /^[a-z]+:\/\//i.test(mark) ? html`<b>URL</b> ` : null
}

type Members = Extract<ValueTree, { readonly head: string }>

interface Member {
  readonly name: SafeHtml | null
  readonly step: string
  readonly value: ValueTree
}

function membersView(tree: Members, path: readonly string[]): SafeHtml {
  const members = membersOf(tree)
  const title = titleOf(tree, members)
  if (members.length === 0) return html`<b class="v-head">${title}</b>`
  if (members.every(({ value }) => isShort(value)) && !('map' in tree) && path.length > 1) {
    const inLine = members.map(
      ({ name, value }, index) =>
        html`${index === 0 ? '' : ', '}${'fields' in tree ? name : null}${valueView(value, path)}`,
    )
    if ('list' in tree && members.length <= oneLine) return html`<b class="v-head">${title}</b> [${inLine}]`
    if ('fields' in tree && members.length <= oneLine / 2) return html`<b class="v-head">${title}</b> {${inLine}}`
  }
  const content = html`<summary><b class="v-head">${title}</b></summary>
    <ul>
      ${members.map(({ name, step, value }) => html`<li>${name}${valueView(value, [...path, step])}</li> `)}
    </ul>`
  return path.length <= openLevels || members.length <= smallSize
    ? html`<details class="fold" open>${content}</details>`
    : html`<details class="fold">${content}</details>`
}

function membersOf(tree: Members): readonly Member[] {
  if ('list' in tree) {
    const isSet = /^\w*Set\(/.test(tree.head)
    return tree.list.map((value, index) => ({
      name: isSet || isMore(value) ? null : html`<span class="v-mark">${index}</span> `,
      step: `[${index}]`,
      value,
    }))
  }
  if ('fields' in tree) {
    return tree.fields.map(([name, value]) => ({
      name: isMore(value) ? null : html`<span class="v-key">${name}</span>: `,
      step: /^[a-z_$][\w$]*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`,
      value,
    }))
  }
  return tree.map.map(([key, value], index) => ({
    name: isMore(value) ? null : html`${valueView(key)} <span class="v-mark">=></span> `,
    step: typeof key === 'string' ? `.get(${JSON.stringify(key)})` : `.get(#${index})`,
    value,
  }))
}

/** `Map(2)`, `array(300)`, `Money`, `object(3)`. */
function titleOf({ head, ...tree }: Members, members: readonly Member[]): string {
  const last = members.at(-1)?.value
  const size = isMore(last) ? members.length - 1 + last.more : members.length
  if (head === '') return `${'list' in tree ? 'array' : 'object'}(${size})`
  return 'list' in tree && !head.endsWith(')') ? `${head}(${size})` : head
}

function isMore(value: ValueTree | undefined): value is { readonly more: number } {
  return typeof value === 'object' && value !== null && 'more' in value
}

function isShort(value: ValueTree): boolean {
  return typeof value === 'string' ? value.length <= shortString : typeof value !== 'object' || value === null
}

function stringView(text: string): SafeHtml {
  if (text === mask) return html`<span class="v-mark">${mask}</span>`
  const drawn = (part: string): SafeHtml => html`<span class="t-str">"<span class="verbatim">${part}</span>"</span>`
  if (text.length <= longString) return drawn(text)
  const length = html` <span class="v-mark">${formatCount(text.length)} characters</span>`
  if (text.length <= foldedString) return html`${drawn(text)}${length}`
  return html`<details class="fold">
    <summary>${drawn(`${text.slice(0, longString).replaceAll('\n', ' ')}…`)}${length}</summary>
    ${drawn(text)}
  </details>`
}

export const valueStyles: SafeHtml = styleSheet(`
.value { margin-top: var(--space-2); font: .8125rem/1.5 var(--mono); overflow-wrap: anywhere; max-height: 40lh; overflow: auto }
td > .value { margin-top: 0 }
.value ul { margin-left: .3rem; padding-left: 1.1rem; border-left: 1px solid var(--line) }
.value details { display: inline }
.value details > summary { display: inline }
.value details[open] > ul { display: block }
.v-head { color: var(--code-type); font-weight: 600 }
.v-key { color: var(--code-func) }
.v-mark { color: var(--muted) }
@media print { .value { max-height: none } }
`)

/**
 * A value of a variable, wherever else it was: a click, or Enter on it, lights up all equal ones. The same again, or Escape, ends that. Short
 * words, numbers and objects of which only the class is said are equal by chance.
 */
export const followScript: SafeHtml = scriptBlock(`
{
  const all = Map.groupBy(document.querySelectorAll('code.seen'), (one) => one.textContent);
  let followed;
  const follow = (text) => {
    followed = text === followed ? undefined : text;
    for (const [other, alike] of all) for (const one of alike) {
      if (one.ariaPressed !== null) one.ariaPressed = String(other === followed);
      if (other === followed) one.closest('details').open = true;
    }
  };
  for (const [text, alike] of all) {
    if (alike.length < 2 || text.length < 3 || /^(?:true|false|null|undefined|NaN|-?\\d{1,2}|\\[.*[^"'}\\]]\\]|.* \\{…\\})$/.test(text)) continue;
    for (const one of alike) {
      Object.assign(one, { role: 'button', tabIndex: 0, ariaPressed: 'false', onclick: () => follow(text) });
      one.onkeydown = (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); follow(text); } };
    }
  }
  addEventListener('keydown', (event) => { if (event.key === 'Escape' && followed !== undefined) follow(followed); });
}
`)
