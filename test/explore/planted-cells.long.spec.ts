import { testPlantedCells } from './planted-cells';

testPlantedCells(__filename);
