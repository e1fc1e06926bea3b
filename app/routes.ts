// The route table of the shop: name, path, what answers. Demonstrations are there in debug only.

import { RouteCollection, UrlGenerator, type Exchange, type Handler, type Reply } from '../src/index.ts'
import { addToBasket, clearBasket, showBasket } from './controllers/basket.ts'
import { listCurrencies, listCurrenciesJson, showCurrency, showCurrencyJson } from './controllers/currencies.ts'
import { showFetch, showSlow } from './controllers/demo.ts'
import { showAccess } from './controllers/demo-access.ts'
import { showError } from './controllers/demo-error.ts'
import { showPrice } from './controllers/demo-price.ts'
import { showEvents, showStream } from './controllers/demo-stream.ts'
import { showLive, showReady } from './controllers/health.ts'
import { showHome } from './controllers/home.ts'
import { listProducts, listProductsJson, showProduct, showProductJson } from './controllers/products.ts'
import type { Shop, ShopServices } from './shop.ts'

/** Every route of the shop, in the order in which they are asked. */
export function createRoutes(services: ShopServices): RouteCollection {
  const shop: Shop = { ...services, link: (name, params = {}) => urls.generate(name, params) }
  const by = <Params extends object>(controller: Controller<Params>): Handler<Params> => bind(controller, shop)

  const routes = new RouteCollection()
  routes.get('home', '/', by(showHome))
  routes.get('products', '/products', by(listProducts))
  routes.get('product', '/products/{slug}', by(showProduct))
  routes.get('currencies', '/currencies', by(listCurrencies))
  routes.get('currency', '/currencies/{code<[A-Z]{3}>}', by(showCurrency))
  routes.get('basket', '/basket', by(showBasket))
  routes.post('basket_add', '/basket', by(addToBasket))
  routes.post('basket_clear', '/basket/clear', by(clearBasket))

  routes.get('api_products', '/api/products', by(listProductsJson))
  routes.get('api_product', '/api/products/{slug}', by(showProductJson))
  routes.get('api_currencies', '/api/currencies', by(listCurrenciesJson))
  routes.get('api_currency', '/api/currencies/{code<[A-Z]{3}>}', by(showCurrencyJson))

  routes.get('health_live', '/health/live', by(showLive))
  routes.get('health_ready', '/health/ready', by(showReady))

  if (services.settings.debug) {
    routes.get('demo_error', '/demo/error', by(showError))
    routes.get('demo_price', '/demo/price', by(showPrice))
    routes.get('demo_slow', '/demo/slow', by(showSlow))
    routes.get('demo_fetch', '/demo/fetch', by(showFetch))
    routes.get('demo_access', '/demo/access', by(showAccess))
    routes.get('demo_stream', '/demo/stream', by(showStream))
    routes.get('demo_events', '/demo/events', by(showEvents))
  }

  const { host, port } = services.settings
  const urls = new UrlGenerator(routes, { scheme: 'http', host, port })
  return routes
}

type Controller<Params extends object> = (exchange: Exchange<Params>, shop: Shop) => Reply | Promise<Reply>

/** The controller as a handler. It keeps its name, by which the profiler knows it. */
function bind<Params extends object>(controller: Controller<Params>, shop: Shop): Handler<Params> {
  const handler: Handler<Params> = (exchange) => controller(exchange, shop)
  return Object.defineProperty(handler, 'name', { value: controller.name })
}
