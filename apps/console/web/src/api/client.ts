import { setReachable } from './connection';
import type {
  BeginBody,
  Board,
  Classroom,
  ExplorationBody,
  ExplorationView,
  Goal,
  GoalResult,
  LabView,
  MatrixView,
  Preset,
  Problem,
  RunBody,
  RunList,
  RunView,
  StepView,
  StrategyView,
  Vocabulary,
} from './types';

/** The console refused a request, or could not be reached. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
    this.name = 'ApiError';
  }
}

/** The code of a request that the console did not answer. */
export const UNREACHABLE = 'CONSOLE.UNREACHABLE';

export const problemOf = (error: unknown): Problem =>
  error instanceof ApiError
    ? error.problem
    : { title: 'Error', status: 0, code: 'PAGE.ERROR', detail: String(error) };

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`/api/${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch((error: unknown) => {
    setReachable(false);
    throw new ApiError({ title: '', status: 0, code: UNREACHABLE, detail: String(error) });
  });
  setReachable(true);
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  throw new ApiError(isProblem(answer) ? answer : unreadable(response));
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;

const unreadable = ({ status, statusText }: Response): Problem => ({
  title: statusText,
  status,
  code: 'HTTP',
  detail: `${status} ${statusText}`,
});

const part = encodeURIComponent;

/** The requests of the page, one function each. They reject with `ApiError`. */
export const api = {
  beginSteps: (body: BeginBody) => request<StepView>('POST', 'steps/begin', body),
  step: (token: string, choice?: string) => request<StepView>('POST', 'steps', { token, choice }),
  explore: (body: ExplorationBody) => request<ExplorationView>('POST', 'explorations', body),
  exploration: (id: string) => request<ExplorationView>('GET', `explorations/${part(id)}`),
  cancelExploration: (id: string) => request<ExplorationView>('DELETE', `explorations/${part(id)}`),
  startRun: (body: RunBody) => request<RunView>('POST', 'runs', body),
  startPreset: (name: string) => request<RunView>('POST', `runs/presets/${part(name)}`),
  runs: () => request<RunList>('GET', 'runs'),
  run: (id: string) => request<RunView>('GET', `runs/${part(id)}`),
  cancelRun: (id: string) => request<RunView>('DELETE', `runs/${part(id)}`),
  presets: () => request<readonly Preset[]>('GET', 'presets'),
  strategies: () => request<readonly StrategyView[]>('GET', 'strategies'),
  vocabulary: () => request<Vocabulary>('GET', 'vocabulary'),
  matrix: () => request<MatrixView>('GET', 'matrix'),
  goals: () => request<readonly Goal[]>('GET', 'goals'),
  proveGoal: (id: string, proof: { token: string } | { exploration: string }) =>
    request<GoalResult>('POST', `goals/${part(id)}/proofs`, proof),
  classroom: () => request<Classroom>('GET', 'classroom'),
  join: (code: string, name: string) => request<Classroom>('POST', 'classroom/join', { code, name }),
  board: () => request<Board>('GET', 'classroom/board'),
  lab: () => request<LabView>('GET', 'lab'),
};

export const reportOf = (id: string): string => `/api/runs/${part(id)}/report`;
export const reportOfFolder = (folder: string): string => `/api/runs/past/${part(folder)}/report`;
