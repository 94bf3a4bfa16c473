import createClient from 'openapi-fetch';
import { setReachable } from './connection';
import { keepProof, type Proof } from './kept-proofs';
import { refuseMember } from './membership';
import type { paths } from './schema';
import type { BeginBody, ExplorationBody, Language, Problem, RunBody } from './types';

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

async function send(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    setReachable(true);
    return response;
  } catch (error) {
    setReachable(false);
    throw new ApiError({ title: '', status: 0, code: UNREACHABLE, detail: String(error) });
  }
}

const client = createClient<paths>({ baseUrl: window.location.origin, fetch: send });

/** The code of a request of a browser that has not joined the class, or that the teacher has removed. */
const NOT_JOINED = 'ACCESS.JOIN';

/** The data of an answer; rejects with `ApiError`. */
async function dataOf<T>(answering: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answering;
  if (response.ok && data !== undefined) return data;
  const problem = isProblem(error) ? error : unreadable(response);
  if (problem.code === NOT_JOINED) refuseMember();
  throw new ApiError(problem);
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;

const unreadable = ({ status, statusText }: Response): Problem => ({
  title: statusText,
  status,
  code: 'HTTP',
  detail: `${status} ${statusText}`,
});

const byId = (id: string): { params: { path: { id: string } } } => ({ params: { path: { id } } });

/** The requests of the page, one function each. They reject with `ApiError`. */
export const api = {
  beginSteps: (body: BeginBody) => dataOf(client.POST('/api/steps/begin', { body })),
  step: (token: string, { choice, finish }: { readonly choice?: string; readonly finish?: true } = {}) =>
    dataOf(
      client.POST('/api/steps', {
        body: { token, ...(choice !== undefined && { choice }), ...(finish !== undefined && { finish }) },
      }),
    ),
  explore: (body: ExplorationBody) => dataOf(client.POST('/api/explorations', { body })),
  exploration: (id: string) => dataOf(client.GET('/api/explorations/{id}', byId(id))),
  cancelExploration: (id: string) => dataOf(client.DELETE('/api/explorations/{id}', byId(id))),
  startRun: (body: RunBody, lang: Language) =>
    dataOf(client.POST('/api/runs', { params: { query: { lang } }, body })),
  startPreset: (preset: string, lang: Language) =>
    dataOf(client.POST('/api/runs/presets/{preset}', { params: { path: { preset }, query: { lang } } })),
  jobs: () => dataOf(client.GET('/api/jobs')),
  cancelJobs: () => dataOf(client.DELETE('/api/jobs')),
  runs: () => dataOf(client.GET('/api/runs')),
  run: (id: string) => dataOf(client.GET('/api/runs/{id}', byId(id))),
  runLanes: (id: string) => dataOf(client.GET('/api/runs/{id}/lanes', byId(id))),
  /** Rejects when there is no report in this folder. */
  hasReport: async (folder: string): Promise<true> => {
    const response = await send(new Request(reportOfFolder(folder, 'en'), { method: 'HEAD' }));
    if (!response.ok) throw new ApiError(unreadable(response));
    return true;
  },
  cancelRun: (id: string) => dataOf(client.DELETE('/api/runs/{id}', byId(id))),
  presets: () => dataOf(client.GET('/api/presets')),
  strategies: () => dataOf(client.GET('/api/strategies')),
  vocabulary: () => dataOf(client.GET('/api/vocabulary')),
  matrix: () => dataOf(client.GET('/api/matrix')),
  goals: () => dataOf(client.GET('/api/goals')),
  lessons: (lang: Language) => dataOf(client.GET('/api/lessons', { params: { query: { lang } } })),
  lesson: (lesson: string, lang: Language) =>
    dataOf(client.GET('/api/lessons/{lesson}', { params: { path: { lesson }, query: { lang } } })),
  /** A proof that reaches its goal is kept in this browser. */
  proveGoal: async (goal: string, body: Proof) => {
    const result = await dataOf(
      client.POST('/api/goals/{goal}/proofs', { params: { path: { goal } }, body }),
    );
    if (result.reached) keepProof(goal, body);
    return result;
  },
  classroom: () => dataOf(client.GET('/api/classroom')),
  join: (code: string, name: string) => dataOf(client.POST('/api/classroom/join', { body: { code, name } })),
  removeMember: (id: string) => dataOf(client.DELETE('/api/classroom/members/{id}', byId(id))),
  board: () => dataOf(client.GET('/api/classroom/board')),
  lab: () => dataOf(client.GET('/api/lab')),
};

export const reportOf = (id: string, language: Language): string =>
  `/api/runs/${encodeURIComponent(id)}/report?lang=${language}`;
export const reportOfFolder = (folder: string, language: Language): string =>
  `/api/runs/past/${encodeURIComponent(folder)}/report?lang=${language}`;
