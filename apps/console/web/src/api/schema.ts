// Written by `node apps/console/openapi.mjs --write` from the schemas of the server.
export interface paths {
    "/api/strategies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every strategy, in teaching order */
        get: operations["CatalogueController_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/vocabulary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The capabilities and the faults, each in a sentence */
        get: operations["CatalogueController_vocabulary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/matrix": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The failure matrix as it was generated last, with its witnesses */
        get: operations["CatalogueController_failures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/lab": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The lab that receives the load: whether it runs, its replicas and its servers on demand */
        get: operations["LabController_find"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The runs of this console, each with its last sample, and the run folders; newest first */
        get: operations["RunsController_list"];
        put?: never;
        /** Queues a load run; `lang`: the language of its lanes and images */
        post: operations["RunsController_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/presets/{preset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Queues a predefined run: GET /api/presets */
        post: operations["RunsController_startPreset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run with all samples so far */
        get: operations["RunsController_find"];
        put?: never;
        post?: never;
        /** Cancels a run; it ends when the lab is ready for the next one */
        delete: operations["RunsController_cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its events: {job}, {sample}, {verdict, folder}; resumes after Last-Event-ID */
        get: operations["RunsController_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The replicas of a run that has not ended: who holds the lock, and what was paused or killed */
        get: operations["RunsController_lanes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The report of a run that has ended, in the language `lang` */
        get: operations["RunsController_report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/past/{folder}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The report of a run folder, in the language `lang` */
        get: operations["RunsController_pastReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The predefined runs, those of the demo first */
        get: operations["PresetsController_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/steps/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins a schedule: every buyer is held before its first step */
        post: operations["StepsController_begin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Plays a schedule, and makes one more choice */
        post: operations["StepsController_choose"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/explorations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs every interleaving of the steps of some buyers, with faults */
        post: operations["ExplorationsController_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/explorations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An exploration with what it has found so far */
        get: operations["ExplorationsController_find"];
        put?: never;
        post?: never;
        /** Cancels an exploration; what it has found stays */
        delete: operations["ExplorationsController_cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/explorations/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its events: {job}, {counts}, {witness}; resumes after Last-Event-ID */
        get: operations["ExplorationsController_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The runs and explorations that have not ended: they share one queue */
        get: operations["JobsController_list"];
        put?: never;
        post?: never;
        /** Cancels all of them; only the teacher can. The running one ends when the lab is ready for the next one */
        delete: operations["JobsController_cancelAll"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/goals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a learner is asked to show or to prove */
        get: operations["GoalsController_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/goals/{goal}/proofs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Checks a proof: runs its schedule again, or reads the counts of its exploration or the verdict of its run */
        post: operations["GoalsController_check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/lessons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All lessons, in order */
        get: operations["LessonsController_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/lessons/{lesson}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A lesson as HTML */
        get: operations["LessonsController_one"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/lessons/{lesson}/slides/{slide}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A schedule of a lesson as a slide */
        get: operations["LessonsController_slide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/classroom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether this is a class, and who this browser is in it */
        get: operations["ClassroomController_find"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/classroom/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Joins the class with its code and a name */
        post: operations["ClassroomController_join"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/classroom/board": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who has reached which goal */
        get: operations["ClassroomController_board"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/classroom/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a student, cancels its jobs and ends its event streams; its browser can join again */
        delete: operations["ClassroomController_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        StrategyView: {
            name: string;
            mechanism: string;
            defect: string;
            /** @description the article, paper or documentation that it comes from */
            source: string;
            next: {
                strategy?: string;
                why: string;
            };
            /** @description the same sentences in Chinese */
            inChinese?: {
                mechanism: string;
                defect: string;
                /** @description of the next one */
                why: string;
            };
            readonly options: string[];
            /** @description servers on demand */
            readonly needs: string[];
            /** @description capabilities */
            readonly keeps: string[];
            /** @description capabilities */
            readonly lacks: string[];
            /** @description its sources, its own file first, below libs/strategy/src */
            readonly files: string[];
            readonly presets: string[];
        };
        Vocabulary: {
            /** @description each capability in a sentence */
            capabilities: {
                [key: string]: string;
            };
            /** @description what happens when a schedule injects it */
            faults: {
                [key: string]: string;
            };
        };
        MatrixView: {
            conditions: {
                [key: string]: unknown;
            };
            /** @description the columns */
            readonly cells: string[];
            /** @description what is shown first */
            summary: {
                readonly strategies: string[];
                readonly cells: string[];
            };
            readonly rows: {
                strategy: string;
                isStale: boolean;
                readonly cells: {
                    cell: string;
                    /** @enum {string} */
                    mark: "safe" | "data-wrong" | "unavailable" | "lock-broken" | "unknown" | "none";
                    schedules: number;
                    /** @description schedules that show the worst harm of the cell: the mark, unless that is unknown */
                    violating: number;
                    isPartial: boolean;
                    token?: string;
                    sentence?: string;
                    /** @description the sentence in Chinese */
                    inChinese?: string;
                    /** @description a strategy that is safe here */
                    passes?: string;
                }[];
            }[];
        };
        LabView: {
            isRunning: boolean;
            /** @description its public address */
            shop?: string;
            readonly replicas: {
                name: string;
                app: string;
                state: string;
                starts: number;
            }[];
            readonly components: string[];
        };
        RunBody: {
            strategy: string;
            /** @default 100 */
            stock: number;
            /** @default 300 */
            requests: number;
            /** @default 50 */
            connections: number;
            /** @default 2 */
            replicas: number;
            /** @default {} */
            options: {
                leaseMs?: number;
                waitMs?: number;
                /** @enum {string} */
                wait?: "poll" | "notify";
                retryMs?: number;
                workMs?: number;
                attempts?: number;
                /** @enum {string} */
                isolation?: "repeatable-read" | "read-committed";
            };
            /** @description x-fault: after(SETNX)=kill */
            fault?: string;
            /** @default first */
            faultOn: string;
        };
        RunView: {
            job: {
                id: string;
                /** @enum {string} */
                kind: "run" | "exploration";
                /** @enum {string} */
                state: "queued" | "running" | "done" | "failed" | "cancelled";
                ahead: number;
                /** @description what the job does now, and how much of it is done */
                progress: {
                    text: string;
                    done: number;
                    of?: number;
                };
                /** @description why it failed */
                error?: string;
                /** @description the code of the error, for a page in another language */
                errorCode?: string;
                /**
                 * @description request: its owner has cancelled it; teacher: the teacher has cancelled the job of a student
                 * @enum {string}
                 */
                cancelledBecause?: "request" | "teacher" | "student-removed" | "console-stopped";
                /** @description since it began to run; 0 while it is queued */
                elapsedMs: number;
            };
            title: string;
            /** @description the name of its owner; empty without a class */
            by: string;
            /** @description when it was queued, ISO 8601 */
            at: string;
            plan: {
                strategy: string;
                /** @description initial units, of all products */
                stock: number;
                requests: number;
                connections: number;
                replicas: number;
                options: {
                    [key: string]: number | string;
                };
                fault?: string;
            };
            readonly samples: {
                /** @description since the first request */
                atMs: number;
                /** @description the amount in the row; of all products */
                stock: number;
                /** @description units of all committed movements */
                sold: number;
                /** @description answers by code */
                answers: {
                    [key: string]: number;
                };
                /** @description answers by replica */
                replicas: {
                    [key: string]: number;
                };
                inFlight: number;
            }[];
            verdict?: {
                /** @enum {string} */
                verdict: "violated" | "safe" | "unknown";
                mark: string;
                /** @description the verdict in one line */
                headline: string;
                /** @description the catalogue documents this result */
                asExpected: boolean;
                readonly because: string[];
                initial: number;
                final: number;
                sold: number;
                oversold: number;
                lostUpdates: number;
                readonly violations: string[];
                /** @description how it happened, in one sentence */
                mechanism?: string;
                /** @description how many answers neither the strategy nor a fault explains, by status and code */
                unexpected?: string;
                /** @description the requests that collided */
                readonly requests: string[];
                /** @description the same sentences in Chinese; absent for drills, and for runs of an older version */
                inChinese?: {
                    headline: string;
                    readonly because: string[];
                    mechanism?: string;
                    unexpected?: string;
                };
            };
            /** @description below runs/, with report.html and verdict.json */
            folder?: string;
        };
        RunList: {
            current: {
                job: {
                    id: string;
                    /** @enum {string} */
                    kind: "run" | "exploration";
                    /** @enum {string} */
                    state: "queued" | "running" | "done" | "failed" | "cancelled";
                    ahead: number;
                    /** @description what the job does now, and how much of it is done */
                    progress: {
                        text: string;
                        done: number;
                        of?: number;
                    };
                    /** @description why it failed */
                    error?: string;
                    /** @description the code of the error, for a page in another language */
                    errorCode?: string;
                    /**
                     * @description request: its owner has cancelled it; teacher: the teacher has cancelled the job of a student
                     * @enum {string}
                     */
                    cancelledBecause?: "request" | "teacher" | "student-removed" | "console-stopped";
                    /** @description since it began to run; 0 while it is queued */
                    elapsedMs: number;
                };
                title: string;
                /** @description the name of its owner; empty without a class */
                by: string;
                /** @description when it was queued, ISO 8601 */
                at: string;
                plan: {
                    strategy: string;
                    /** @description initial units, of all products */
                    stock: number;
                    requests: number;
                    connections: number;
                    replicas: number;
                    options: {
                        [key: string]: number | string;
                    };
                    fault?: string;
                };
                readonly samples: {
                    /** @description since the first request */
                    atMs: number;
                    /** @description the amount in the row; of all products */
                    stock: number;
                    /** @description units of all committed movements */
                    sold: number;
                    /** @description answers by code */
                    answers: {
                        [key: string]: number;
                    };
                    /** @description answers by replica */
                    replicas: {
                        [key: string]: number;
                    };
                    inFlight: number;
                }[];
                verdict?: {
                    /** @enum {string} */
                    verdict: "violated" | "safe" | "unknown";
                    mark: string;
                    /** @description the verdict in one line */
                    headline: string;
                    /** @description the catalogue documents this result */
                    asExpected: boolean;
                    readonly because: string[];
                    initial: number;
                    final: number;
                    sold: number;
                    oversold: number;
                    lostUpdates: number;
                    readonly violations: string[];
                    /** @description how it happened, in one sentence */
                    mechanism?: string;
                    /** @description how many answers neither the strategy nor a fault explains, by status and code */
                    unexpected?: string;
                    /** @description the requests that collided */
                    readonly requests: string[];
                    /** @description the same sentences in Chinese; absent for drills, and for runs of an older version */
                    inChinese?: {
                        headline: string;
                        readonly because: string[];
                        mechanism?: string;
                        unexpected?: string;
                    };
                };
                /** @description below runs/, with report.html and verdict.json */
                folder?: string;
            }[];
            past: {
                folder: string;
                name: string;
                /** @description ISO 8601 */
                at: string;
                /** @description absent: its verdict.json cannot be read */
                verdict?: {
                    /** @enum {string} */
                    verdict: "violated" | "safe" | "unknown";
                    mark: string;
                    /** @description the verdict in one line */
                    headline: string;
                    /** @description the catalogue documents this result */
                    asExpected: boolean;
                    readonly because: string[];
                    initial: number;
                    final: number;
                    sold: number;
                    oversold: number;
                    lostUpdates: number;
                    readonly violations: string[];
                    /** @description how it happened, in one sentence */
                    mechanism?: string;
                    /** @description how many answers neither the strategy nor a fault explains, by status and code */
                    unexpected?: string;
                    /** @description the requests that collided */
                    readonly requests: string[];
                    /** @description the same sentences in Chinese; absent for drills, and for runs of an older version */
                    inChinese?: {
                        headline: string;
                        readonly because: string[];
                        mechanism?: string;
                        unexpected?: string;
                    };
                };
            }[];
        };
        LanesView: {
            /** @description for a shadow root */
            style: string;
            /** @description an HTML section; every text is escaped */
            lanes?: string;
        };
        Preset: {
            name: string;
            shows: string;
            /** @description what it shows, in Chinese */
            inChinese?: string;
            strategy: string;
            /** @enum {string} */
            group: "demo" | "more";
            /** @description servers that the lab was started without */
            readonly needs: string[];
            /** @description has a fault, which only the teacher of a class may run */
            isForTeacher: boolean;
        };
        BeginBody: {
            strategy: string;
            /**
             * @description the number of the process of each buyer: 12, 11, 123
             * @default 12
             */
            actors: string;
            /** @default 1 */
            stock: number;
            /** @default {} */
            options: {
                leaseMs?: number;
                waitMs?: number;
                /** @enum {string} */
                wait?: "poll" | "notify";
                workMs?: number;
                attempts?: number;
                /** @enum {string} */
                isolation?: "repeatable-read" | "read-committed";
            };
        };
        StepView: {
            token: string;
            /** @description the schedule without its last choice */
            undo?: string;
            /** @description the schedule without any choice */
            start: string;
            strategy: string;
            stock: number;
            /** @description those that differ from the standard of schedules */
            options: {
                [key: string]: number | string;
            };
            /** @description the choices so far */
            choices: number;
            /** @description their texts in order, as `controls` names them */
            readonly made: string[];
            readonly actors: {
                name: string;
                process: number;
                alive: boolean;
                cut: boolean;
                outcome?: string;
                next?: {
                    kind: string;
                    text: string;
                    isInFlight: boolean;
                };
                /** @description where its code is, or was at its last step, the innermost line first */
                readonly at: {
                    file: string;
                    line: number;
                }[];
            }[];
            readonly controls: {
                /** @description its text in a token: a, K1, L */
                choice: string;
                /** @description step, timer-step, arrival, or the name of a fault */
                kind: string;
                actor?: string;
                process?: number;
                server?: number;
                /** @description why the choice is not enabled */
                disabled?: {
                    /** @enum {string} */
                    code: "over" | "ended" | "died" | "not-begun" | "blocked" | "mutex" | "waiting" | "idle" | "no-lease" | "no-timer" | "no-session" | "no-work" | "nothing-stored" | "already";
                    outcome?: string;
                    statement?: string;
                    key?: string;
                    /** @description the actors that it waits for */
                    readonly by?: string[];
                };
            }[];
            readonly events: {
                n: number;
                /** @description virtual time, milliseconds */
                at?: number;
                /** @enum {string} */
                type: "step" | "fault" | "time" | "warn" | "end";
                actor?: string;
                /** @description of a step: redis, sql, zk, etcd, local, timer, fs */
                kind?: string;
                text: string;
                /** @description the text in Chinese; absent: a statement, or a code says it */
                inChinese?: string;
                /** @description of an answered step */
                reply?: string;
                error?: string;
                fault?: string;
                /** @description issued by a timer of the actor */
                isTimer?: boolean;
                /** @description the step waited in the server until this event */
                answeredAt?: number;
                /** @description of an end */
                code?: string;
                readonly locks?: {
                    key: string;
                    /** @enum {string} */
                    change: "taken" | "replaced" | "released" | "renewed" | "expired" | "flushed";
                    by?: string;
                    owner?: string;
                }[];
            }[];
            /** @description virtual time, milliseconds */
            now: number;
            /** @description committed amounts */
            balances: {
                [key: string]: number;
            };
            readonly movements: {
                balance: string;
                request: string;
                delta: number;
                before: number;
                after: number;
            }[];
            readonly locks: {
                key: string;
                owner?: string;
                remainingMs?: number;
            }[];
            readonly violations: {
                kind: string;
                /** @enum {string} */
                harm: "data-wrong" | "unavailable" | "lock-broken";
                sentence: string;
                /** @description the sentence in Chinese; absent: there is none */
                inChinese?: string;
                /** @description the events that show it */
                readonly at: number[];
            }[];
            /** @description what prevented a violation */
            readonly protections: {
                text: string;
                inChinese: string;
            }[];
            isOver: boolean;
        };
        ChooseBody: {
            /** @description the schedule so far */
            token: string;
            /** @description the next choice, as `controls` names it; absent: only replays the token */
            choice?: string;
            /**
             * @description then also makes the remaining choices, without a fault
             * @enum {boolean}
             */
            finish?: true;
        };
        ExplorationBody: {
            strategy: string;
            /**
             * @description the number of the process of each buyer: 12, 11, 123
             * @default 12
             */
            actors: string;
            /** @default 1 */
            stock: number;
            /** @default {} */
            options: {
                leaseMs?: number;
                waitMs?: number;
                /** @enum {string} */
                wait?: "poll" | "notify";
                workMs?: number;
                attempts?: number;
                /** @enum {string} */
                isolation?: "repeatable-read" | "read-committed";
            };
            /**
             * @description name:times, separated by commas: lapse:1,kill:1
             * @default
             */
            faults: string;
            /**
             * @description the search stops after this time
             * @default 60
             */
            seconds: number;
        };
        ExplorationView: {
            job: {
                id: string;
                /** @enum {string} */
                kind: "run" | "exploration";
                /** @enum {string} */
                state: "queued" | "running" | "done" | "failed" | "cancelled";
                ahead: number;
                /** @description what the job does now, and how much of it is done */
                progress: {
                    text: string;
                    done: number;
                    of?: number;
                };
                /** @description why it failed */
                error?: string;
                /** @description the code of the error, for a page in another language */
                errorCode?: string;
                /**
                 * @description request: its owner has cancelled it; teacher: the teacher has cancelled the job of a student
                 * @enum {string}
                 */
                cancelledBecause?: "request" | "teacher" | "student-removed" | "console-stopped";
                /** @description since it began to run; 0 while it is queued */
                elapsedMs: number;
            };
            strategy: string;
            actors: string;
            stock: number;
            faults: string;
            counts?: {
                schedules: number;
                violating: number;
                /** @description schedules per second of the search */
                perSecond?: number;
                harms: {
                    "data-wrong": number;
                    unavailable: number;
                    "lock-broken": number;
                };
                /** @description schedules by kind of violation */
                kinds: {
                    [key: string]: number;
                };
                /** @description schedules in which each fault fired */
                fired: {
                    [key: string]: number;
                };
                /** @description all interleavings, and those with a harm; absent with faults where they are too many to count */
                interleavings?: {
                    all: number;
                    "data-wrong": number;
                    unavailable: number;
                };
                /** @description schedules by what made a buyer wait or refused it */
                protections: {
                    [key: string]: number;
                };
                /** @description the words of the protections in Chinese */
                inChinese: {
                    [key: string]: string;
                };
                /** @description estimated share of all schedules, 0 to 1 */
                searched: number;
                /** @enum {string} */
                mark: "safe" | "data-wrong" | "unavailable" | "lock-broken" | "unknown";
                /** @description why the mark is unknown */
                because?: {
                    text: string;
                    inChinese: string;
                };
                /** @description not every schedule was run */
                isPartial: boolean;
            };
            /** @description the shortest schedule of the worst kind */
            witness?: {
                kind: string;
                token: string;
                readonly actors: {
                    name: string;
                    process: string;
                }[];
                readonly events: {
                    n: number;
                    /** @description virtual time, milliseconds */
                    at?: number;
                    /** @enum {string} */
                    type: "step" | "fault" | "time" | "warn" | "end";
                    actor?: string;
                    /** @description of a step: redis, sql, zk, etcd, local, timer, fs */
                    kind?: string;
                    text: string;
                    /** @description the text in Chinese; absent: a statement, or a code says it */
                    inChinese?: string;
                    /** @description of an answered step */
                    reply?: string;
                    error?: string;
                    fault?: string;
                    /** @description issued by a timer of the actor */
                    isTimer?: boolean;
                    /** @description the step waited in the server until this event */
                    answeredAt?: number;
                    /** @description of an end */
                    code?: string;
                    readonly locks?: {
                        key: string;
                        /** @enum {string} */
                        change: "taken" | "replaced" | "released" | "renewed" | "expired" | "flushed";
                        by?: string;
                        owner?: string;
                    }[];
                }[];
                readonly violations: {
                    kind: string;
                    /** @enum {string} */
                    harm: "data-wrong" | "unavailable" | "lock-broken";
                    sentence: string;
                    /** @description the sentence in Chinese; absent: there is none */
                    inChinese?: string;
                    /** @description the events that show it */
                    readonly at: number[];
                }[];
                /** @description how it happens */
                mechanism?: {
                    text: string;
                    inChinese: string;
                };
                /** @description the next strategy whose data stays right in the same schedule */
                passes?: string;
                /** @description a Mermaid sequence diagram */
                mermaid: string;
            };
        };
        JobList: {
            /** @description the one that runs, and those that wait, in the order in which they will run */
            readonly jobs: {
                job: {
                    id: string;
                    /** @enum {string} */
                    kind: "run" | "exploration";
                    /** @enum {string} */
                    state: "queued" | "running" | "done" | "failed" | "cancelled";
                    ahead: number;
                    /** @description what the job does now, and how much of it is done */
                    progress: {
                        text: string;
                        done: number;
                        of?: number;
                    };
                    /** @description why it failed */
                    error?: string;
                    /** @description the code of the error, for a page in another language */
                    errorCode?: string;
                    /**
                     * @description request: its owner has cancelled it; teacher: the teacher has cancelled the job of a student
                     * @enum {string}
                     */
                    cancelledBecause?: "request" | "teacher" | "student-removed" | "console-stopped";
                    /** @description since it began to run; 0 while it is queued */
                    elapsedMs: number;
                };
                title: string;
                /** @description a name; empty without a class */
                by: string;
            }[];
        };
        GoalView: {
            id: string;
            /** @enum {string} */
            task: "run" | "show" | "prove";
            strategy: string;
            /** @description show and prove: the process of each buyer */
            actors?: string;
            /** @description run: the predefined run that reaches it */
            preset?: string;
            /**
             * @description run: the verdict with which it ends
             * @enum {string}
             */
            verdict?: "violated" | "safe";
            /** @description show: the kind of violation */
            kind?: string;
            /** @description show: with at most so many choices */
            choices?: number;
            /** @description prove: in every schedule with these faults */
            faults?: string;
        };
        ProofBody: {
            /** @description run: the folder of the run */
            run?: string;
            /** @description show: the schedule */
            token?: string;
            /** @description prove: the id of the exploration */
            exploration?: string;
        };
        GoalResult: {
            reached: boolean;
            /** @enum {string} */
            because?: "no-proof" | "other-setup" | "no-violation" | "other-verdict" | "too-many-choices" | "not-complete" | "not-safe";
        };
        LessonSummary: {
            id: string;
            number: number;
            title: string;
            /** @description reading and running its commands */
            minutes: number;
            strategies: string[];
            /** @description ids of goals */
            goals: string[];
        };
        LessonView: {
            id: string;
            number: number;
            title: string;
            /** @description reading and running its commands */
            minutes: number;
            strategies: string[];
            /** @description ids of goals */
            goals: string[];
            /** @description the page, with links to the pages of the console */
            html: string;
        };
        ClassroomView: {
            /** @description several browsers use this console, each under its name */
            isOpen: boolean;
            /** @description absent: not joined */
            member?: {
                name: string;
                isTeacher: boolean;
            };
            /** @description for the teacher: what students enter */
            code?: string;
            /** @description for the teacher: the addresses that students may open; the most likely one first */
            readonly urls?: string[];
        };
        JoinBody: {
            code: string;
            name: string;
        };
        BoardView: {
            readonly rows: {
                id: string;
                name: string;
                readonly goals: string[];
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    CatalogueController_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StrategyView"][];
                };
            };
        };
    };
    CatalogueController_vocabulary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vocabulary"];
                };
            };
        };
    };
    CatalogueController_failures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatrixView"];
                };
            };
        };
    };
    LabController_find: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabView"];
                };
            };
        };
    };
    RunsController_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
        };
    };
    RunsController_start: {
        parameters: {
            query?: {
                lang?: "en" | "zh";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
        };
    };
    RunsController_startPreset: {
        parameters: {
            query?: {
                lang?: "en" | "zh";
            };
            header?: never;
            path: {
                preset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
        };
    };
    RunsController_find: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
        };
    };
    RunsController_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
        };
    };
    RunsController_events: {
        parameters: {
            query?: never;
            header: {
                "last-event-id": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    RunsController_lanes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LanesView"];
                };
            };
        };
    };
    RunsController_report: {
        parameters: {
            query?: {
                lang?: "en" | "zh";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    RunsController_pastReport: {
        parameters: {
            query?: {
                lang?: "en" | "zh";
            };
            header?: never;
            path: {
                folder: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PresetsController_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"][];
                };
            };
        };
    };
    StepsController_begin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepView"];
                };
            };
        };
    };
    StepsController_choose: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChooseBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepView"];
                };
            };
        };
    };
    ExplorationsController_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExplorationBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorationView"];
                };
            };
        };
    };
    ExplorationsController_find: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorationView"];
                };
            };
        };
    };
    ExplorationsController_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorationView"];
                };
            };
        };
    };
    ExplorationsController_events: {
        parameters: {
            query?: never;
            header: {
                "last-event-id": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    JobsController_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
        };
    };
    JobsController_cancelAll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
        };
    };
    GoalsController_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalView"][];
                };
            };
        };
    };
    GoalsController_check: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                goal: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProofBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GoalResult"];
                };
            };
        };
    };
    LessonsController_list: {
        parameters: {
            query?: {
                lang?: "en" | "zh";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LessonSummary"][];
                };
            };
        };
    };
    LessonsController_one: {
        parameters: {
            query?: {
                lang?: "en" | "zh";
            };
            header?: never;
            path: {
                lesson: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LessonView"];
                };
            };
        };
    };
    LessonsController_slide: {
        parameters: {
            query?: {
                lang?: "en" | "zh";
            };
            header?: never;
            path: {
                lesson: string;
                slide: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ClassroomController_find: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClassroomView"];
                };
            };
        };
    };
    ClassroomController_join: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JoinBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClassroomView"];
                };
            };
        };
    };
    ClassroomController_board: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BoardView"];
                };
            };
        };
    };
    ClassroomController_remove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BoardView"];
                };
            };
        };
    };
}
