/** The apps of the shop, in the order in which an order passes through them. */
export const SHOP_APPS = ['order', 'inventory'] as const;
