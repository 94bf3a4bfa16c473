export { SHOP_APPS } from './apps';
export { cartLine } from './cart-line';
export { lines, quantity, ReconcileBody, ResetBody, sku, SkuParams } from './schemas';
