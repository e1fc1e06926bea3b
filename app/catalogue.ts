// What the shop sells. Prices are exact decimals in the base currency; showing them in another one is prices.ts.

/** A line of the catalogue. */
export interface Product {
  /** Its name in addresses: `lion-knocker`. */
  readonly slug: string
  readonly name: string
  /** One sentence. */
  readonly summary: string
  readonly description: string
  /** For one piece, in euro: `"64.50"`. */
  readonly price: string
  /** What there is to know about it, by name. */
  readonly facts: Readonly<Record<string, string>>
  readonly delivery: 'in stock' | 'made to order'
}

/** Every product, in the order of the shelves. */
export const products: readonly [Product, ...Product[]] = [
  {
    slug: 'sunburst-fanlight',
    name: 'Sunburst fanlight',
    summary: 'A half-round window for over the door, so that the hall sees who comes.',
    description:
      'Seven rays of slim oak around a brass hub, glazed with drawn glass that bends the morning a little. We cut the frame to your arch: measure the clear width, we take off the putty gap.',
    price: '489.00',
    facts: { Width: '80 to 110 cm, cut to measure', Frame: 'European oak, oiled', Glass: 'Drawn glass, 4 mm' },
    delivery: 'made to order',
  },
  {
    slug: 'lion-knocker',
    name: 'Lion’s head knocker',
    summary: 'Cast brass, heavy enough to be heard on the third floor.',
    description:
      'Cast in sand, filed by hand and left unlacquered: it darkens where nobody touches it and stays bright where everybody does. Comes with a striking plate and two through bolts.',
    price: '64.50',
    facts: { Material: 'Solid brass, unlacquered', Height: '14 cm', 'Door thickness': '35 to 60 mm' },
    delivery: 'in stock',
  },
  {
    slug: 'letter-plate',
    name: 'Brass letter plate',
    summary: 'Sprung flap, brush behind it: letters come in, the wind does not.',
    description:
      'A rolled edge keeps the flap from rattling, and the sprung hinge closes it behind every letter. The inner plate carries a double brush. Takes C4 envelopes unfolded.',
    price: '38.90',
    facts: { Opening: '33 × 5 cm', Material: 'Brass, brushed', Fits: 'Doors of 40 to 65 mm' },
    delivery: 'in stock',
  },
  {
    slug: 'house-number',
    name: 'Enamel house number',
    summary: 'White on cobalt, fired four times, legible from across the street.',
    description:
      'Domed steel, enamelled in four firings the way street signs are. Up to three digits; write yours in the note with your order. Two brass screws are in the box.',
    price: '24.00',
    facts: { Size: '12 × 15 cm', Material: 'Vitreous enamel on steel' },
    delivery: 'made to order',
  },
  {
    slug: 'bell-pull',
    name: 'Mechanical bell pull',
    summary: 'A pull, three metres of wire, a bell. No battery, no app, no update.',
    description:
      'The porcelain pull moves a wire over two cranks and swings a bronze bell on a coiled spring. The spring goes on for a while after the visitor has stopped, as it should.',
    price: '119.00',
    facts: { Bell: 'Bronze, 8 cm', Wire: '3 m, two cranks', Pull: 'Porcelain and brass' },
    delivery: 'in stock',
  },
  {
    slug: 'door-viewer',
    name: 'Wide-angle door viewer',
    summary: 'Two hundred degrees of doorstep through a hole of fourteen millimetres.',
    description:
      'Four ground lenses and a sliding cover on the inside. Shows the step, the path and whoever stands beside the door hoping not to be seen.',
    price: '14.95',
    facts: { View: '200°', Hole: '14 mm', Fits: 'Doors of 35 to 60 mm' },
    delivery: 'in stock',
  },
  {
    slug: 'coir-mat',
    name: 'Coir doormat',
    summary: 'Woven coconut fibre, thick enough for November.',
    description:
      'Hand-woven and bound at the edges, without a rubber back, so that it can be turned over and beaten. Loses a few fibres in its first week and none after.',
    price: '32.00',
    facts: { Size: '70 × 45 cm', Thickness: '3 cm', Material: 'Coconut fibre' },
    delivery: 'in stock',
  },
  {
    slug: 'porch-lantern',
    name: 'Porch lantern',
    summary: 'Six panes, a hinged door, and warm light on the steps.',
    description:
      'Folded from copper sheet and soldered by hand, with a hinged pane for changing the lamp. Weather turns it brown in a year and green in twenty.',
    price: '158.00',
    facts: { Height: '38 cm', Lamp: 'E27, up to 10 W LED', Protection: 'IP 44' },
    delivery: 'made to order',
  },
  {
    slug: 'sash-lift',
    name: 'Sash lifts, a pair',
    summary: 'Hook lifts for sliding windows that want two hands.',
    description: 'Cast iron with a wax finish, shaped for the fingers of people who wear gloves. Screws included.',
    price: '18.40',
    facts: { Width: '5 cm each', Material: 'Cast iron, waxed' },
    delivery: 'in stock',
  },
  {
    slug: 'draught-brush',
    name: 'Draught brush',
    summary: 'A metre of fine bristle between you and the weather.',
    description: 'An aluminium rail with a nylon brush for the bottom of the door. Cut it to length with a hacksaw.',
    price: '9.80',
    facts: { Length: '100 cm', Bristle: '25 mm' },
    delivery: 'in stock',
  },
  {
    slug: 'key-cabinet',
    name: 'Key cabinet',
    summary: 'Twenty hooks behind a quiet little door.',
    description:
      'Ash, dovetailed, with a magnet instead of a latch. Numbered brass hooks, a paper list inside the door, and room for the key that nobody knows the lock of.',
    price: '46.00',
    facts: { Size: '28 × 36 × 7 cm', Hooks: '20, numbered', Material: 'Ash, soaped' },
    delivery: 'in stock',
  },
  {
    slug: 'boot-scraper',
    name: 'Boot scraper',
    summary: 'Two scrolls and a blade: the garden stays in the garden.',
    description: 'Forged by a smith, hot-dipped in zinc and painted black. Set it in concrete, or bolt it to the step.',
    price: '54.00',
    facts: { Width: '32 cm', Material: 'Forged steel, galvanised' },
    delivery: 'in stock',
  },
]

const bySlug: ReadonlyMap<string, Product> = new Map(products.map((product) => [product.slug, product]))

/** The product of that name, or `undefined`. */
export function findProduct(slug: string): Product | undefined {
  return bySlug.get(slug)
}
