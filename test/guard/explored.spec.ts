import { testExplorations } from './exploration';

testExplorations(__filename, ['none']);
