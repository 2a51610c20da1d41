/** How many of its smallest coins one unit of a currency has. */
export const COINS = { EUR: 100, USD: 100, GBP: 100, JPY: 1 }
