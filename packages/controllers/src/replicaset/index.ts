/** The ReplicaSet controller: keeps the desired number of pods created from a template. */
import type { ReplicaSet } from '@coxswain/api/apps/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { ReplicaController } from './replica-controller.ts';
import type { ReplicatedKind } from './replicated-kind.ts';

const replicaSets: ReplicatedKind<ReplicaSet> = {
  component: 'replicaset-controller',
  queueName: 'replicaset',
  resource: { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true },
  countsTerminating: true,
  informer: (informers) => informers.apps.v1.replicaSets.informer,
  selector: ({ spec }) => labelSelectorAsSelector(spec?.selector),
  client: (clients, namespace) => clients.apps.v1.replicaSets(namespace),
  withStatus: (object, status) => ({ ...object, status }),
};

export const replicaSetController: ControllerDefinition = {
  name: 'replicaset-controller',
  aliases: ['replicaset'],
  create: (context) => new ReplicaController(context, replicaSets),
};
