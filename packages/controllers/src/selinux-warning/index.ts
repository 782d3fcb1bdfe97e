/** Tells pods that share a volume and want it under different SELinux labels: on one node, only one of them could have it. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { SELinuxWarningController } from './selinux-warning-controller.ts';

export const seLinuxWarningController: ControllerDefinition = {
  name: 'selinux-warning-controller',
  aliases: [],
  isOffByDefault: true,
  create: (context) => new SELinuxWarningController(context),
};
