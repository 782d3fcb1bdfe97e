import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { defaults } from '../v1/defaults.ts';
import { resourceSliceFieldLabels } from '../v1/resource-slice.ts';
import { deviceTaintRuleStrategy, setDeviceTaintRuleDefaults } from './device-taint-rule.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'resource.k8s.io',
  version: 'v1beta2',
  fieldLabels: { ResourceSlice: resourceSliceFieldLabels('v1beta2') },
  defaults: { ...defaults, DeviceTaintRule: setDeviceTaintRuleDefaults },
  strategies: { DeviceTaintRule: deviceTaintRuleStrategy },
};
