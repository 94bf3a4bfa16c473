import type { Guard } from '../../contract';
import { EXPIRY_MS, fill } from './catalogue-pages';

export const sameExpiry: Guard = {
  name: 'warm-up/same-expiry',
  mechanism: 'Store all pages with the same expiry.',
  defect:
    'Pages that were stored together expire together, and all of them are built at the same moment: an avalanche. A lock for each page does not help, because the pages differ.',
  source: 'Cache avalanche, in every article on caches.',
  next: { guard: 'warm-up/jittered', why: 'spreads the expiries.' },
  options: ['workMs'],
  expected: { none: { must: ['avalanche'] } },

  apply: (catalogue, tools) => fill(catalogue, tools, () => EXPIRY_MS),
};
