// npm run build: installs the dependencies and builds the project if necessary.
import { prepare } from './prepare.mjs';

await prepare();
