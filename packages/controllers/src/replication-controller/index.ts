/** The ReplicationController controller. ReplicationControllers are the predecessor of ReplicaSets and use the same implementation. */
import type { ReplicationController } from '@coxswain/api/core/v1';
import { labelSelectorAsSelector, setAsLabelSelector } from '@coxswain/apimachinery/labels';
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { ReplicaController } from '../replicaset/replica-controller.ts';
import type { ReplicatedKind } from '../replicaset/replicated-kind.ts';

const replicationControllers: ReplicatedKind<ReplicationController> = {
  component: 'replication-controller',
  queueName: 'replicationmanager',
  resource: {
    group: '',
    version: 'v1',
    resource: 'replicationcontrollers',
    kind: 'ReplicationController',
    namespaced: true,
  },
  countsTerminating: false,
  informer: (informers) => informers.core.v1.replicationControllers.informer,
  selector: ({ spec }) => labelSelectorAsSelector(setAsLabelSelector(spec?.selector)),
  client: (clients, namespace) => clients.core.v1.replicationControllers(namespace),
  withStatus: (object, status) => ({ ...object, status }),
};

export const replicationControllerController: ControllerDefinition = {
  name: 'replicationcontroller-controller',
  aliases: ['replicationcontroller'],
  create: (context) => new ReplicaController(context, replicationControllers),
};
