import { z } from 'zod';

/** A strategy in a request. No pattern: a name that cannot exist is answered as any other unknown name, by the catalogue. */
export const strategyName = z.string().max(64);
