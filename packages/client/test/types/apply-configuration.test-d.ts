/** What the types of apply configurations accept and reject. Type-checked only, never run. */
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { Deployment } from '@coxswain/api/apps/v1';
import type { Pod, Service } from '@coxswain/api/core/v1';
import type { IntOrString } from '@coxswain/apimachinery/meta';
import { expectTypeOf } from 'vitest';
import { extractApplyConfiguration } from '../../src/kubernetes/index.ts';
import type { ApplyConfiguration, ApplyFields, ResourceInterface } from '../../src/rest/index.ts';

declare const deployments: ResourceInterface<Deployment>;
const by = { fieldManager: 'me' };

// Any subset of fields: required fields are optional here, also inside lists.
deployments.apply({ metadata: { name: 'd' } }, by);
deployments.apply({ metadata: { name: 'd' }, spec: { replicas: 3 } }, by);
deployments.apply(
  { metadata: { name: 'd' }, spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } },
  { ...by, force: true },
);
// @ts-expect-error the name is required
deployments.apply({ metadata: { labels: {} } }, by);
// @ts-expect-error the field manager is required
deployments.apply({ metadata: { name: 'd' } });
// @ts-expect-error a field's name is wrong
deployments.apply({ metadata: { name: 'd' }, spec: { replica: 3 } }, by);
// @ts-expect-error a field's name is wrong, deep inside
deployments.apply({ metadata: { name: 'd' }, spec: { template: { spec: { containers: [{ nam: 'c' }] } } } }, by);
// @ts-expect-error a field's type is wrong
deployments.apply({ metadata: { name: 'd' }, spec: { replicas: '3' } }, by);
// @ts-expect-error another kind
deployments.apply({ kind: 'StatefulSet', metadata: { name: 'd' } }, by);
// @ts-expect-error the server refuses configurations with managed fields
deployments.apply({ metadata: { name: 'd', managedFields: [] } }, by);
// @ts-expect-error a field is given up by omitting it, not by null
deployments.apply({ metadata: { name: 'd' }, spec: { replicas: null } }, by);

// Enumerations, int-or-string values, maps and lists of scalars keep their types.
type PodSpec = NonNullable<NonNullable<ApplyConfiguration<Pod>['spec']>>;
expectTypeOf<PodSpec['restartPolicy']>().toEqualTypeOf<NonNullable<Pod['spec']>['restartPolicy']>();
type Port = NonNullable<NonNullable<ApplyConfiguration<Service>['spec']>['ports']>[number];
expectTypeOf<Port['targetPort']>().toEqualTypeOf<IntOrString | undefined>();
expectTypeOf<Port['port']>().toEqualTypeOf<number | undefined>();
const limits: ApplyFields<Pod> = { spec: { containers: [{ resources: { limits: { cpu: '100m' } }, args: ['a'] }] } };
// @ts-expect-error a quantity is a string
const wrongLimits: ApplyFields<Pod> = { spec: { containers: [{ resources: { limits: { cpu: 1 } } }] } };
// @ts-expect-error a list of strings
const wrongArguments: ApplyFields<Pod> = { spec: { containers: [{ args: [1] }] } };
// @ts-expect-error not one of the policies
const wrongPolicy: ApplyFields<Pod> = { spec: { restartPolicy: 'Sometimes' } };

// Kinds with recursive types.
const definition: ApplyConfiguration<CustomResourceDefinition> = {
  metadata: { name: 'd' },
  spec: { versions: [{ schema: { openAPIV3Schema: { properties: { a: { items: { type: 'string' } } } } } }] },
};

// An extracted configuration can be applied again.
declare const deployment: Deployment;
const extracted = extractApplyConfiguration(deployment, 'me');
expectTypeOf(extracted).toEqualTypeOf<ApplyConfiguration<Deployment>>();
deployments.apply({ ...extracted, spec: { ...extracted.spec, replicas: 1 } }, by);

void [limits, wrongLimits, wrongArguments, wrongPolicy, definition];
