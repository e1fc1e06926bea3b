import { Router } from '@koa/router'
import Koa from 'koa'
import { answer, attach, listen, page } from './shared.mjs'

const app = attach(new Koa())
const router = new Router()
router.get('/json/:id', (context) => {
  context.body = answer(context.params.id)
})
router.get('/page', (context) => {
  context.body = page
})
app.use(router.routes())
listen(app.callback())
