// Pieces of pages that stay the same from error to error, drawn once for each thing that they show.

/** Forgets a piece with what it shows. Made for one renderer, whose settings stay the same. */
export class Drawn<Piece> {
  readonly #pieces = new WeakMap<object, Map<string, Piece>>()

  /** The piece that shows a thing in one way. `draw` must not depend on anything else. */
  piece(shown: object, way: string, draw: () => Piece): Piece {
    let ways = this.#pieces.get(shown)
    if (ways === undefined) this.#pieces.set(shown, (ways = new Map()))
    let piece = ways.get(way)
    if (piece === undefined) ways.set(way, (piece = draw()))
    return piece
  }
}
