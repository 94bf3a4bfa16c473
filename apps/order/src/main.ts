import 'reflect-metadata';
import { readConfig } from '#lab/config';
import { serve } from '#lab/http';
import { orderModule } from './order.module';

const config = readConfig();
void serve(orderModule(config), 'Orders', config, { limited: true });
