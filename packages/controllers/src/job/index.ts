/** The Job controller: runs pods until enough of them have succeeded, and counts each pod exactly once. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { JobController } from './job-controller.ts';

export const jobController: ControllerDefinition = {
  name: 'job-controller',
  aliases: ['job'],
  create: (context) => new JobController(context),
};
