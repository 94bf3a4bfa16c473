import type { SavedMatrix } from '#lab/explore';
import { projectRoot } from '#lab/stack';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure';

/** The matrix of docs/matrix.json, as it was generated last. @throws Failure when it is missing */
export function committedMatrix(): SavedMatrix {
  const file = join(projectRoot(), 'docs', 'matrix.json');
  if (!existsSync(file))
    throw new Failure('docs/matrix.json is missing: "npx lab matrix --docs docs/matrix.md" generates it', 2);
  return JSON.parse(readFileSync(file, 'utf8')) as SavedMatrix;
}
