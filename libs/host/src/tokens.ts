/** Injection token of the replica's `Config`. */
export const CONFIG = Symbol('config');
