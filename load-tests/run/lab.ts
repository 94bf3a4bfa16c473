import { holdFile, replicaLog, type AppName, type Stack } from '#lab/stack';
import { dirname, join } from 'node:path';
import type { ReplicaControl } from './run-load';
import { Target } from './target';

/** A lab that receives the load, and the function that releases it. */
export interface RunningLab {
  readonly target: Target;
  readonly control: ReplicaControl;
  readonly stop: () => Promise<void>;
}

/** The lab has no lab address. */
export class LabDisabled extends Error {
  constructor() {
    super(
      'the lab was started with --no-lab, which disables faults, reset and history. Start it again without that option',
    );
    this.name = 'LabDisabled';
  }
}

/** The lab of a stack that this process started or is attached to. Throws `LabDisabled`. */
export function labOf(stack: Stack): RunningLab {
  const { public: publicUrl, lab: labUrl } = stack.urls;
  if (labUrl === undefined) throw new LabDisabled();
  const replicasOf = async (host: AppName): Promise<number> =>
    (await stack.replicas()).filter(({ app }) => app === host).length;
  const target = new Target(publicUrl, labUrl);
  return {
    target,
    control: {
      holdLab: (options) => holdFile(join(dirname(stack.historyDir), 'load.json'), options),
      scale: async (count, app = 'inventory') => {
        if (count !== undefined && count !== (await replicasOf(app))) await stack.scale(app, count);
        return replicasOf(app);
      },
      ready: () => stack.ready(),
      lose: async (server) => {
        await stack.kill(server);
        return () => stack.restart(server);
      },
      conditions: () => stack.conditions(),
      logOf: (request) => replicaLog(stack, request),
    },
    stop: async () => {
      await target.close();
      await stack.stop();
    },
  };
}
