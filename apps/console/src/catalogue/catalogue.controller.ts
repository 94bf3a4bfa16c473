import type { SavedMatrix } from '#lab/explore';
import { problem, ProblemError } from '#lab/http';
import { projectRoot } from '#lab/stack';
import { CAPABILITIES, CATALOGUE, FAULTS } from '#lab/strategy';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { matrixView } from './matrix-view';
import { MatrixView, StrategyView, Vocabulary } from './schemas';
import { strategyView } from './strategy-view';

@ApiTags('catalogue')
@Controller()
export class CatalogueController {
  private strategies: readonly StrategyView[] | undefined;
  private matrix: { readonly changedAt: number; readonly view: MatrixView } | undefined;

  @Get('strategies')
  @ApiOperation({ summary: 'Every strategy, in teaching order' })
  @ApiOkResponse({ type: StrategyView, isArray: true })
  list(): readonly StrategyView[] {
    return (this.strategies ??= CATALOGUE.map(strategyView));
  }

  @Get('vocabulary')
  @ApiOperation({ summary: 'The capabilities and the faults, each in a sentence' })
  @ApiOkResponse({ type: Vocabulary })
  vocabulary(): Vocabulary {
    return {
      capabilities: CAPABILITIES,
      faults: Object.fromEntries(Object.entries(FAULTS).map(([name, { is }]) => [name, is])),
    };
  }

  @Get('matrix')
  @ApiOperation({ summary: 'The failure matrix as it was generated last, with its witnesses' })
  @ApiOkResponse({ type: MatrixView })
  async failures(): Promise<MatrixView> {
    const file = join(projectRoot(), 'docs', 'matrix.json');
    const changedAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (changedAt === undefined)
      throw new ProblemError(
        problem(
          'REQUEST.NOT_FOUND',
          'docs/matrix.json is missing: "npx lab matrix --docs docs/matrix.md" generates it',
        ),
      );
    if (this.matrix?.changedAt !== changedAt)
      this.matrix = {
        changedAt,
        view: matrixView(JSON.parse(await readFile(file, 'utf8')) as SavedMatrix),
      };
    return this.matrix.view;
  }
}
