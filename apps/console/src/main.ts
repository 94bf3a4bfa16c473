import 'reflect-metadata';
import { readConfig } from '#lab/config';
import { serve } from '#lab/http';
import { resolve } from 'node:path';
import { consoleModule } from './console.module';
import { servePage } from './page/serve-page';

const [labFolder] = process.argv.slice(2);
if (labFolder === undefined)
  throw new Error('usage: main.js FOLDER, the folder of the lab whose replicas receive the load');

const config = readConfig();
void serve(consoleModule({ labFolder: resolve(labFolder) }), 'Console', config, {
  prefix: 'api',
  extend: servePage,
}).then(async (app) => {
  process.send?.({ url: await app.getUrl() });
});
