/** Receives an error that a `catch` drops, and what failed with it. */
type DroppedListener = (what: string, error: unknown) => void;

let listener: DroppedListener = () => undefined;

/** Sets the process's listener for dropped errors. Without one they are ignored. */
export const onDropped = (next: DroppedListener): void => {
  listener = next;
};

/**
 * The handler of a promise whose rejection changes nothing for its caller: `save().catch(dropped('saving the draft'))`. The
 * error still reaches the log of the replica.
 */
export const dropped =
  (what: string) =>
  (error: unknown): undefined => {
    listener(what, error);
  };
