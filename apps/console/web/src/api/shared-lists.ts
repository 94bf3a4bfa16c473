import { api } from './client';
import type { Goal, Preset, StrategyView, Vocabulary } from './types';
import { useLoaded } from './use-loaded';

/** Lists that do not change while the console runs: each is requested once. A failed request is made again. */
const kept = new Map<string, Promise<unknown>>();

function once<T>(name: string, load: () => Promise<T>): () => Promise<T> {
  return () => {
    const known = kept.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const loading = load();
    kept.set(name, loading);
    loading.catch(() => kept.delete(name));
    return loading;
  };
}

export const useStrategies = (): readonly StrategyView[] | undefined =>
  useLoaded('strategies', once('strategies', api.strategies)).value;
export const useVocabulary = (): Vocabulary | undefined =>
  useLoaded('vocabulary', once('vocabulary', api.vocabulary)).value;
export const usePresets = (): readonly Preset[] | undefined =>
  useLoaded('presets', once('presets', api.presets)).value;
export const useGoals = (): readonly Goal[] | undefined => useLoaded('goals', once('goals', api.goals)).value;
