/**
 * Pods leave devices with NoExecute taints that their claims do not tolerate, or not any longer. Taints are on devices in
 * ResourceSlices, or given to many at once by DeviceTaintRules, whose status tells how far it is.
 */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { DeviceTaintEvictionController, taintRules } from './device-taint-eviction-controller.ts';

export const deviceTaintEvictionController: ControllerDefinition = {
  name: 'device-taint-eviction-controller',
  aliases: [],
  uses: [taintRules],
  create: (context) => new DeviceTaintEvictionController(context),
};
