import { testPlantedCells } from './planted-cells';

testPlantedCells(__filename, (test, { isLarge = false }) => test !== 'bug' || isLarge);
