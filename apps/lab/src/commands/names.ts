import { InvalidArgumentError } from 'commander';

/** The names, each one a key of `known`. Throws what commander reports as bad usage, with the sentence about the first other one. */
export function namesOf<Name extends string>(
  known: Readonly<Record<Name, unknown>>,
  names: readonly string[],
  sentence: (unknown: string) => string,
): readonly Name[] {
  const isKnown = (name: string): name is Name => Object.hasOwn(known, name);
  const unknown = names.find((name) => !isKnown(name));
  if (unknown !== undefined) throw new InvalidArgumentError(sentence(unknown));
  return names.filter(isKnown);
}
