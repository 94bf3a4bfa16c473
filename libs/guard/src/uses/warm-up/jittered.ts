import type { Guard } from '../../contract';
import { EXPIRY_MS, fill } from './catalogue-pages';

/** The expiry of a page is longer by up to this share. */
const JITTER = 0.5;

export const jittered: Guard = {
  name: 'warm-up/jittered',
  mechanism: 'Add a random time, up to half of the expiry, to the expiry of each page.',
  defect:
    'The builds are spread over that time, not avoided: the database still builds every page once per expiry. When Redis restarts empty, all pages are missing at once, whatever their expiry was.',
  source:
    'AWS Builders’ Library, "Timeouts, retries, and backoff with jitter"; the articles: "add a random value to the expiry".',
  next: { why: 'nothing for the expiry; page/stale for a page that is popular.' },
  options: ['workMs'],
  expected: {},

  apply: (catalogue, tools) =>
    fill(catalogue, tools, () => Math.round(EXPIRY_MS * (1 + JITTER * tools.random()))),
};
