/** How a console is started. */
export abstract class ConsoleOptions {
  /** The folder of the lab whose replicas receive the load. */
  abstract readonly labFolder: string;
  /** The folder of the servers that run schedules. */
  abstract readonly scheduleFolder: string;
  /** The folder of the explorations that have proved a goal. */
  abstract readonly proofFolder: string;
}
