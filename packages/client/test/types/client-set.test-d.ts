/** What the ClientSet's types accept and reject. Type-checked only, never run. */

import type { SubjectAccessReviewStatus } from '@coxswain/api/authorization/v1';
import type { Scale } from '@coxswain/api/autoscaling/v1';
import type { ConfigMap, Namespace, Pod } from '@coxswain/api/core/v1';
import type { KubernetesList, Status } from '@coxswain/apimachinery/meta';
import { expectTypeOf } from 'vitest';
import type { ClientSet, CoreV1 } from '../../src/kubernetes/index.ts';
import type { ResourceInterface } from '../../src/rest/index.ts';
import type { ResponseBody } from '../../src/transport/index.ts';
import type { Watch } from '../../src/watch/index.ts';

declare const clients: ClientSet;
const pods = clients.core.v1.pods('ns');
const configMaps = clients.core.v1.configMaps('ns');
const deployments = clients.apps.v1.deployments('ns');
const pod: Pod = { metadata: { name: 'p' } };

// Verbs return objects of the resource's kind.
expectTypeOf(pods).toEqualTypeOf<CoreV1.PodInterface>();
expectTypeOf(pods.get('p')).toEqualTypeOf<Promise<Pod>>();
expectTypeOf(pods.list()).toEqualTypeOf<Promise<KubernetesList<Pod>>>();
expectTypeOf(pods.watch()).toEqualTypeOf<Promise<Watch<Pod>>>();
expectTypeOf(pods.create(pod)).toEqualTypeOf<Promise<Pod>>();
expectTypeOf(pods.update(pod)).toEqualTypeOf<Promise<Pod>>();
expectTypeOf(pods.delete('p')).toEqualTypeOf<Promise<Pod | Status>>();
expectTypeOf(configMaps.patch('c', 'merge', { data: { a: null } })).toEqualTypeOf<Promise<ConfigMap>>();
pods.list({ labelSelector: 'a=b', limit: 5, signal: AbortSignal.timeout(1) });
// @ts-expect-error the option's name is wrong
pods.list({ labelselector: 'a=b' });
// @ts-expect-error a ConfigMap is not a Pod
pods.create({ metadata: { name: 'p' }, data: {} });
// @ts-expect-error not one of the phases
pods.updateStatus({ metadata: { name: 'p' }, status: { phase: 'Sleeping' } });

// A client with status is a ResourceInterface, which informers, controllers and fakes use.
expectTypeOf(pods).toExtend<ResourceInterface<Pod>>();
expectTypeOf(configMaps).toExtend<Pick<ResourceInterface<ConfigMap>, 'list' | 'watch' | 'get' | 'update'>>();
expectTypeOf(pods).not.toExtend<ResourceInterface<ConfigMap>>();

// Without a namespace there are only list and watch; an optional one counts as none.
expectTypeOf(clients.core.v1.pods().list()).toEqualTypeOf<Promise<KubernetesList<Pod>>>();
declare const maybeNamespace: string | undefined;
clients.core.v1.pods(maybeNamespace).watch();
// @ts-expect-error a namespace is required
clients.core.v1.pods().get('p');
// @ts-expect-error a namespace is required
clients.core.v1.pods(maybeNamespace).delete('p');
// @ts-expect-error a namespace is required: it cannot be listed
clients.core.v1.bindings();
// @ts-expect-error cluster-scoped
clients.core.v1.nodes('ns');

// @ts-expect-error a resource has only the verbs that it serves
clients.core.v1.namespaces().deleteCollection();
// @ts-expect-error only create
clients.core.v1.bindings('ns').update;
// @ts-expect-error only get and list
clients.core.v1.componentStatuses().watch;
// @ts-expect-error no status
configMaps.updateStatus;
// @ts-expect-error there is no such resource
clients.core.v1.replicas;
// @ts-expect-error there is no such version
clients.apps.v1beta1;
// @ts-expect-error there is no such group
clients.extensions;

// Subresources.
expectTypeOf(deployments.getScale('d')).toEqualTypeOf<Promise<Scale>>();
expectTypeOf(pods.evict('p')).toEqualTypeOf<Promise<Status>>();
expectTypeOf(pods.getLogs('p', { follow: true })).toEqualTypeOf<Promise<ResponseBody>>();
expectTypeOf(clients.core.v1.namespaces().finalize).returns.resolves.toEqualTypeOf<Namespace>();
pods.bind('p', { target: { name: 'n' } });
deployments.applyScale('d', { spec: { replicas: 1 } }, { fieldManager: 'me' });
// @ts-expect-error a DaemonSet has no scale
clients.apps.v1.daemonSets('ns').getScale;
// @ts-expect-error a number
deployments.applyScale('d', { spec: { replicas: '1' } }, { fieldManager: 'me' });
// @ts-expect-error the field manager is required
deployments.applyScale('d', { spec: { replicas: 1 } }, {});
// @ts-expect-error the target is required
pods.bind('p', {});
// @ts-expect-error only pods are evicted
deployments.evict;

// Reviews: metadata is optional, and the result has a status.
const review = clients.authorization.v1.subjectAccessReviews().create({ spec: { user: 'u' } });
expectTypeOf(review).resolves.toHaveProperty('status').toEqualTypeOf<SubjectAccessReviewStatus>();
// @ts-expect-error the spec is required
clients.authorization.v1.subjectAccessReviews().create({});
// @ts-expect-error a namespace is required
clients.authorization.v1.localSubjectAccessReviews();
const token = clients.core.v1.serviceAccounts('ns').createToken('sa');
expectTypeOf(token).resolves.toHaveProperty('status').toHaveProperty('token').toEqualTypeOf<string | undefined>();

// Patches: the type of the body follows from the patch type.
pods.patch('p', 'json', [{ op: 'replace', path: '/metadata/labels/a', value: 'b' }]);
pods.patch('p', 'merge', { metadata: { labels: { a: null } } });
// @ts-expect-error a JSON patch is a list of operations
pods.patch('p', 'json', { metadata: {} });
// @ts-expect-error there is no such operation
pods.patch('p', 'json', [{ op: 'increment', path: '/a' }]);
// @ts-expect-error a merge patch has the fields of the object
pods.patch('p', 'merge', { specs: {} });
// @ts-expect-error there is no such type of patch
pods.patch('p', 'three-way', {});

// Watches: the type of the object follows from the type of the event.
for await (const event of await pods.watch()) {
  if (event.type === 'DELETED') expectTypeOf(event.object).toEqualTypeOf<Pod>();
  // @ts-expect-error a bookmark has no spec
  event.object.spec;
}
