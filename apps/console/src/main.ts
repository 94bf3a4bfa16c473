import 'reflect-metadata';
import { readConfig } from '#lab/config';
import { serve } from '#lab/http';
import { resolve } from 'node:path';
import { Classroom, guardAccess, joinUrls } from './classroom';
import { consoleModule } from './console.module';
import { servePage } from './page/serve-page';
import { Schedules } from './steps/schedules';

const [labFolder, ...flags] = process.argv.slice(2);
if (labFolder === undefined)
  throw new Error('usage: main.js FOLDER [--class], the folder of the lab whose replicas receive the load');

const config = readConfig();
const isClass = flags.includes('--class');
void serve(consoleModule({ labFolder: resolve(labFolder), isClass }), 'Console', config, {
  prefix: 'api',
  description: 'Runs, schedules and explorations of the lab, as the page uses them.',
  extend: async (app) => {
    guardAccess(app);
    await servePage(app);
  },
}).then(async (app) => {
  // otherwise the first students of a class wait many seconds for the servers and worlds of their schedules
  if (isClass) void app.get(Schedules).prepare();
  const { code, teacherCode } = app.get(Classroom);
  const url = await app.getUrl();
  process.send?.({
    url,
    ...(isClass && { code, teacherCode, joinUrls: joinUrls(new URL(url).port) }),
  });
});
