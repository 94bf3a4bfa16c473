export {
  beyond,
  KEPT_BYTES,
  KEPT_RUNS,
  newestFirst,
  removePaths,
  removeOldRuns,
  runFolders,
  runsDir,
  type Removable,
} from './folders';
export { listRuns, readReport, readRun, RUN_FOLDER, type PastRun, type SavedVerdict } from './read';
export { runJson, writeCard, writeDrillFolder, writeRunFolder } from './write';
