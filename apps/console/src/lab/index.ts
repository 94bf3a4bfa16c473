export { LabController } from './lab.controller';
export { Lab } from './running-lab';
