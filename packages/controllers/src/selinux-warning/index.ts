/** Warns about pods that use the same volume with different SELinux labels: on the same node only one of them could access it. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { SELinuxWarningController } from './selinux-warning-controller.ts';

export const seLinuxWarningController: ControllerDefinition = {
  name: 'selinux-warning-controller',
  aliases: [],
  isOffByDefault: true,
  create: (context) => new SELinuxWarningController(context),
};
