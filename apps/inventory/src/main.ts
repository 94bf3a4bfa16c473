import 'reflect-metadata';
import { readConfig } from '#lab/config';
import { serve } from '#lab/http';
import { inventoryModule } from './inventory.module';

const config = readConfig();
void serve(inventoryModule(config), 'Inventory', config, { limited: true });
