import { FeatureGates, type FeatureName, type UserInfo } from '@coxswain/api';
import { GroupVersion, type KubernetesObject } from '@coxswain/apimachinery';
import { systemClock } from '@coxswain/apimachinery/clock';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { alwaysDeny } from '@coxswain/component-base/authorization';
import type { Authorizer } from '../authorization/index.ts';
import { MemoryClient } from '../authorization/memory-client.test-data.ts';
import { MemoryListers } from '../authorization/memory-listers.test-data.ts';
import { type AdmissionAttributes, AdmissionChain, type AdmissionPlugin, type Operation } from './admission.ts';
import type { AdmissionContext } from './plugin-context.ts';

/** A context with objects in memory. */
export interface TestContext extends AdmissionContext {
  readonly listers: MemoryListers;
  readonly client: MemoryClient;
}

export function newContext(
  objects: readonly KubernetesObject[] = [],
  more: { features?: Partial<Record<FeatureName, boolean>>; now?: () => Date; authorizer?: Authorizer } = {},
): TestContext {
  const listers = new MemoryListers().set(...objects);
  return {
    listers,
    client: new MemoryClient(listers),
    authorizer: more.authorizer ?? alwaysDeny,
    features: new FeatureGates(more.features),
    now: more.now ?? (() => new Date(0)),
    random: { nameSuffix: () => 'xxxxx' },
  };
}

/** A write: `CREATE v1 pods/status Pod`, with further attributes. */
export interface TestWrite {
  readonly send: `${Operation} ${string}`;
  readonly object?: object;
  readonly oldObject?: object;
  readonly name?: string;
  readonly namespace?: string;
  readonly dryRun?: boolean;
  readonly user?: UserInfo;
}

/** The attributes of a write, by default in the namespace `ns`. */
export function attributesOf(write: TestWrite, annotations = new Map<string, string>()): AdmissionAttributes {
  const [operation, apiVersion = '', path = '', kind = ''] = write.send.split(' ');
  const [resource = '', subresource = ''] = path.split('/');
  const groupVersion = GroupVersion.parse(apiVersion);
  const object = write.object as KubernetesObject | undefined;
  const oldObject = write.oldObject as KubernetesObject | undefined;
  return {
    operation: operation as Operation,
    kind: groupVersion.withKind(kind),
    resource: groupVersion.withResource(resource),
    subresource,
    name: write.name ?? (object ?? oldObject)?.metadata?.name ?? '',
    namespace: write.namespace ?? 'ns',
    ...(object && { object: structuredClone(object) }),
    ...(oldObject && { oldObject }),
    dryRun: write.dryRun ?? false,
    user: write.user ?? { username: 'somebody', groups: [] },
    clock: systemClock,
    eventLoop: systemEventLoop,
    warn: () => {},
    annotate: (key, value) => annotations.set(key, value),
    signal: undefined,
    deadline: undefined,
  };
}

/** Runs a plug-in and returns the resulting object, or the message of its error. */
export async function admit(plugin: AdmissionPlugin, write: TestWrite): Promise<unknown> {
  const chain = new AdmissionChain([plugin]);
  const attributes = attributesOf(write);
  try {
    await chain.admit(attributes);
    await chain.validate(attributes);
    return attributes.object;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

export const pod = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

export const creates = (object: object): TestWrite => ({ send: 'CREATE v1 pods Pod', object });
export const updates = (object: object, oldObject: object): TestWrite => ({
  send: 'UPDATE v1 pods Pod',
  object,
  oldObject,
});
