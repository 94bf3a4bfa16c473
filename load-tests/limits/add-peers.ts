import { addLimiters } from '#lab/limit';
import { PEERS } from './peers';

addLimiters(PEERS);
