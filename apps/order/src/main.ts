import 'reflect-metadata';
import { readConfig } from '#lab/config';
import { serve } from '#lab/http';
import { addStrategiesOf } from '#lab/own';
import { orderModule } from './order.module';

const config = readConfig();
addStrategiesOf(config.strategyFiles);
void serve(orderModule(config), 'Orders', config, { limited: true });
