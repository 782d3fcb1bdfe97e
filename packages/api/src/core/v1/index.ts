import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { componentStatusStrategy } from './component-status.ts';
import { configMapStrategy } from './config-map.ts';
import { endpointsStrategy, setEndpointsDefaults } from './endpoints.ts';
import { eventStrategy } from './event/index.ts';
import { limitRangeStrategy, setLimitRangeDefaults } from './limit-range.ts';
import { namespaceStrategy, setNamespaceDefaults } from './namespace.ts';
import { nodeStrategy, setNodeDefaults } from './node/index.ts';
import { persistentVolumeStrategy, setPersistentVolumeDefaults } from './persistent-volume/index.ts';
import { persistentVolumeClaimStrategy, setPersistentVolumeClaimDefaults } from './persistent-volume-claim/index.ts';
import { podDefaults, podStrategies } from './pod/index.ts';
import { resourceQuotaStrategy, setResourceQuotaDefaults } from './resource-quota.ts';
import { secretStrategy, setSecretDefaults } from './secret.ts';
import { serviceStrategy, setServiceDefaults } from './service/index.ts';
import { serviceAccountStrategy } from './service-account.ts';

export const behaviour: GroupVersionBehaviour = {
  group: '',
  version: 'v1',
  defaults: {
    ...podDefaults,
    Endpoints: setEndpointsDefaults,
    LimitRange: setLimitRangeDefaults,
    Namespace: setNamespaceDefaults,
    Node: setNodeDefaults,
    PersistentVolume: setPersistentVolumeDefaults,
    PersistentVolumeClaim: setPersistentVolumeClaimDefaults,
    ResourceQuota: setResourceQuotaDefaults,
    Secret: setSecretDefaults,
    Service: setServiceDefaults,
  },
  strategies: {
    ...podStrategies,
    ComponentStatus: componentStatusStrategy,
    ConfigMap: configMapStrategy,
    Endpoints: endpointsStrategy,
    Event: eventStrategy,
    LimitRange: limitRangeStrategy,
    Namespace: namespaceStrategy,
    Node: nodeStrategy,
    PersistentVolume: persistentVolumeStrategy,
    PersistentVolumeClaim: persistentVolumeClaimStrategy,
    ResourceQuota: resourceQuotaStrategy,
    Secret: secretStrategy,
    Service: serviceStrategy,
    ServiceAccount: serviceAccountStrategy,
  },
};
