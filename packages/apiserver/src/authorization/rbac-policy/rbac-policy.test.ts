import { readFileSync } from 'node:fs';
import { FeatureGates } from '@coxswain/api';
import { describe, expect, it } from 'vitest';
import { nodeRules, rbacPolicy } from './rbac-policy.ts';

/** The objects that kube-apiserver v1.36 creates, by `KIND/NAMESPACE/NAME`. */
const recorded: Record<'default' | 'differentWithAllFeatures', Record<string, object>> = JSON.parse(
  readFileSync(new URL('../../../test/recorded/bootstrap-policy.json', import.meta.url), 'utf8'),
);

const optionalFeatures = [
  'ClusterTrustBundle',
  'DRADeviceTaintRules',
  'DRAResourcePoolStatus',
  'DRAWorkloadResourceClaims',
  'GenericWorkload',
  'PodCertificateRequest',
  'StorageVersionAPI',
  'StorageVersionMigrator',
  'WorkloadWithJob',
];

function policyByKey(gates?: FeatureGates): Record<string, object> {
  const policy = rbacPolicy(gates);
  const objects = [...policy.clusterRoles, ...policy.clusterRoleBindings, ...policy.roles, ...policy.roleBindings];
  const byKey: Record<string, object> = {};
  for (const { apiVersion, ...object } of objects) {
    expect(apiVersion).toBe('rbac.authorization.k8s.io/v1');
    const { namespace = '', name } = object.metadata;
    const key = `${object.kind}/${namespace}/${name}`;
    expect(byKey, 'each is there once').not.toHaveProperty([key]);
    byKey[key] = object;
  }
  return byKey;
}

describe('the bootstrap policy', () => {
  it('equals the policy of upstream', () => {
    expect(policyByKey()).toEqual(recorded.default);
  });

  it('equals the policy of upstream with all features on', () => {
    const gates = new FeatureGates(Object.fromEntries(optionalFeatures.map((name) => [name, true])));
    expect(policyByKey(gates)).toEqual({ ...recorded.default, ...recorded.differentWithAllFeatures });
  });

  it('omits roles and rules of features that are off', () => {
    const gates = new FeatureGates({
      ComponentFlagz: false,
      DRADeviceTaints: false,
      KubeletServiceAccountTokenForCredentialProviders: false,
    });
    const policy = policyByKey(gates);
    expect(policy).not.toHaveProperty(['ClusterRole//system:controller:device-taint-eviction-controller']);
    expect(policy).not.toHaveProperty(['ClusterRoleBinding//system:controller:device-taint-eviction-controller']);
    expect(JSON.stringify(policy['ClusterRole//system:monitoring'])).not.toContain('flagz');
    expect(nodeRules(gates)).toHaveLength(nodeRules().length - 1);
  });

  it('has the rules of system:node for the Node authorizer', () => {
    expect(recorded.default['ClusterRole//system:node']).toMatchObject({ rules: nodeRules() });
  });
});
