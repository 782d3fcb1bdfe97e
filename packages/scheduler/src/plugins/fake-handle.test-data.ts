import type { DeviceClass } from '@coxswain/api/resource/v1';
import { ClientSet, RESTClient, SharedInformerFactory } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import type { Handle } from '../framework/handle.ts';
import type { NodeInfo } from '../framework/node-info.ts';
import { RowVersions } from '../framework/row-versions.ts';
import type { Snapshot } from '../framework/snapshot.ts';

interface FakeHandleOptions {
  readonly nodes?: readonly NodeInfo[];
  readonly deviceClasses?: readonly DeviceClass[];
  readonly transport?: FakeTransport;
}

/** A handle with what plug-ins about single nodes use. Its caches contain only the given objects. */
export function fakeHandle({
  nodes = [],
  deviceClasses = [],
  transport = new FakeTransport(),
}: FakeHandleOptions = {}) {
  const clients = new ClientSet(new RESTClient(transport));
  const informers = new SharedInformerFactory(clients);
  const { indexer } = informers.resource.v1.deviceClasses.informer;
  for (const deviceClass of deviceClasses) indexer.add(deviceClass);
  const snapshot: Snapshot = {
    nodes,
    versions: new RowVersions(),
    nodesWithAffinity: [],
    nodesWithRequiredAntiAffinity: [],
    get: (name) => nodes.find((node) => node.name === name),
    isClaimUsed: () => false,
  };
  return { clients, informers, snapshot: () => snapshot } as Handle;
}
