import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { controllerRevisionStrategy } from './controller-revision.ts';
import { daemonSetStrategy } from './daemon-set.ts';
import {
  setDaemonSetDefaults,
  setDeploymentDefaults,
  setReplicaSetDefaults,
  setStatefulSetDefaults,
} from './defaults.ts';
import { deploymentStrategy } from './deployment.ts';
import { replicaSetStrategy } from './replica-set.ts';
import { statefulSetStrategy } from './stateful-set.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'apps',
  version: 'v1',
  defaults: {
    DaemonSet: setDaemonSetDefaults,
    Deployment: setDeploymentDefaults,
    ReplicaSet: setReplicaSetDefaults,
    StatefulSet: setStatefulSetDefaults,
  },
  strategies: {
    ControllerRevision: controllerRevisionStrategy,
    DaemonSet: daemonSetStrategy,
    Deployment: deploymentStrategy,
    ReplicaSet: replicaSetStrategy,
    StatefulSet: statefulSetStrategy,
  },
};
