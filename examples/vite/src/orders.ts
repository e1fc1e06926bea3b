// Shows the orders, in the browser.

const orders = (await (await fetch('/orders')).json()) as readonly { readonly id: number; readonly customer: string }[]

for (const { id, customer } of orders) {
  const item = document.createElement('li')
  item.textContent = `${id}: ${customer}`
  document.querySelector('ul')?.append(item)
}
