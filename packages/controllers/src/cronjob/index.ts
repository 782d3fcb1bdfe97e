/** The CronJob controller: creates a Job at every time of the schedule. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { CronJobController } from './cronjob-controller.ts';

export const cronJobController: ControllerDefinition = {
  name: 'cronjob-controller',
  aliases: ['cronjob'],
  create: (context) => new CronJobController(context),
};
