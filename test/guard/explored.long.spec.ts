import { testExplorations } from './exploration';

testExplorations(__filename, ['lapse', 'pause', 'error', 'lose-reply', 'flush']);
