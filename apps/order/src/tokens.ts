/** Injection token of the process' `Config`. */
export const CONFIG = Symbol('config');
