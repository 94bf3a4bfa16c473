import { problem, ProblemError } from '#lab/http';
import { attach, StackError, type Stack } from '#lab/stack';
import { ComponentMissing, componentsAt, type Component } from '#lab/step';
import { LabDisabled, labOf, type RunningLab } from '#load-tests/run';
import { Inject, Injectable } from '@nestjs/common';
import { ConsoleOptions } from '../console-options';

const STOPPED = 'no lab is running: start it with "npm start"; this page then continues';

/** The lab whose replicas receive the load. It may stop, and start again, while the console runs: each call looks for it. */
@Injectable()
export class Lab {
  constructor(@Inject(ConsoleOptions) private readonly options: Pick<ConsoleOptions, 'labFolder'>) {}

  /** The lab; its `stop` only closes connections. Throws a problem when it does not run. */
  async open(): Promise<RunningLab> {
    try {
      return labOf(await this.stack());
    } catch (error) {
      throw error instanceof LabDisabled ? new ProblemError(problem('LAB.STOPPED', error.message)) : error;
    }
  }

  /** Throws a problem when the lab does not run, and `ComponentMissing` when it was started without one of these. */
  async assertHas(components: readonly Component[]): Promise<void> {
    const started = componentsAt((await this.stack()).urls.servers);
    const missing = components.find((component) => !started.includes(component));
    if (missing !== undefined) throw new ComponentMissing(missing);
  }

  /** Undefined when the lab does not run. */
  async find(): Promise<Stack | undefined> {
    try {
      return await attach(this.options.labFolder);
    } catch (error) {
      if (error instanceof StackError) return undefined; // it is stopping
      throw error;
    }
  }

  private async stack(): Promise<Stack> {
    const found = await this.find();
    if (found === undefined) throw new ProblemError(problem('LAB.STOPPED', STOPPED));
    return found;
  }
}
