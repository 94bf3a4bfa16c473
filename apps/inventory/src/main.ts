import 'reflect-metadata';
import { readConfig } from '#lab/config';
import { serve } from '#lab/http';
import { addStrategiesOf } from '#lab/own';
import { inventoryModule } from './inventory.module';

const config = readConfig();
addStrategiesOf(config.strategyFiles);
void serve(inventoryModule(config), 'Inventory', config, { limited: true });
