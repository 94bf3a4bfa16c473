import { LADDER } from '#lab/explore';
import { CATALOGUE } from '#lab/strategy';
import { testContract } from './contract';

// all others: strategies.long.spec.ts
testContract(
  __filename,
  CATALOGUE.filter(({ name }) => LADDER.includes(name)),
);
