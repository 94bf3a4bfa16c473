import { testExplorations } from './exploration';

testExplorations(__filename, ['kill', 'lapse', 'pause', 'error', 'lose-reply', 'flush']);
