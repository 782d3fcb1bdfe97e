/**
 * Evicts pods from devices with NoExecute taints that their claims do not tolerate, or not any longer. Taints are set on devices
 * in ResourceSlices, or on several devices by a DeviceTaintRule, whose status reports the progress.
 */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { DeviceTaintEvictionController, taintRules } from './device-taint-eviction-controller.ts';

export const deviceTaintEvictionController: ControllerDefinition = {
  name: 'device-taint-eviction-controller',
  aliases: [],
  uses: [taintRules],
  create: (context) => new DeviceTaintEvictionController(context),
};
