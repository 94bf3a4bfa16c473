import { step } from '#lab/step';

const ARRIVE = 'ARRIVE';

/** A request reaches its process. No server takes part. */
export const arrive = (): Promise<void> =>
  step(
    () => ({ kind: 'local', verb: ARRIVE, text: `${ARRIVE} at the process` }),
    () => Promise.resolve(),
  );

export const isArrival = ({ verb }: { readonly verb: string }): boolean => verb === ARRIVE;
