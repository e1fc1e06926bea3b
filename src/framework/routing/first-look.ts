// A first look at how a path begins: it is enough to turn away most of those that no route takes (`/favicon.ico`, `/wp-login.php`),
// before anything else is compared.

import type { TreeNode } from './route-tree.ts'

/** How many characters are looked at, behind the slash. */
const lookedAt = 4
const size = 8192
const percent = 37
const slash = 47

/** How the paths of a table begin. */
export class FirstLook {
  readonly #marks: Uint8Array

  private constructor(beginnings: Iterable<string>) {
    this.#marks = new Uint8Array(size)
    for (const text of beginnings) {
      const [first = 0, second = 0, third = 0, fourth = 0] = [1, 2, 3, 4].map((index) => text.charCodeAt(index))
      this.#marks[mix(first, second, third, fourth)] = 1
    }
  }

  /** `null` for a table that has a parameter so early that every path may be one of its own. */
  static of(fixedPaths: Iterable<string>, root: TreeNode): FirstLook | null {
    const beginnings = beginningsOf(root, '')
    if (beginnings === null) return null
    for (const path of fixedPaths) if (path.length > lookedAt) beginnings.push(path)
    return new FirstLook(beginnings)
  }

  /** Whether the path is surely none of the table, in any encoding and with any slash at its end; `false` when in doubt. */
  isStranger(path: string): boolean {
    if (path.length <= lookedAt) return false
    const first = path.charCodeAt(1)
    const second = path.charCodeAt(2)
    const third = path.charCodeAt(3)
    const fourth = path.charCodeAt(4)
    if (this.#marks[mix(first, second, third, fourth)] === 1) return false
    if (first === percent || second === percent || third === percent || fourth === percent) return false
    return path.charCodeAt(path.length - 1) !== slash
  }
}

/** What can stand at the beginning of a path of the tree; `null` for anything. */
function beginningsOf(node: TreeNode, before: string): string[] | null {
  const text = before + node.text
  if (text.length > lookedAt) return [text]
  if (node.params.length > 0 || node.tails.length > 0) return null
  const found: string[] = []
  for (const child of node.children.values()) {
    const inner = beginningsOf(child, text)
    if (inner === null) return null
    found.push(...inner)
  }
  return found
}

function mix(first: number, second: number, third: number, fourth: number): number {
  return (first + second * 31 + third * 337 + fourth * 3571) & (size - 1)
}
