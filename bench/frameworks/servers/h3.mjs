import { getRouterParam, H3, html, raw, toNodeHandler } from 'h3'
import { answer, attach, listen, page } from './shared.mjs'

const app = attach(new H3())
app.get('/json/:id', (event) => answer(getRouterParam(event, 'id')))
app.get('/page', () => html(raw(page)))
listen(toNodeHandler(app))
