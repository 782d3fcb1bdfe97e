import type { RuleWithOperations } from '@coxswain/api/admissionregistration/v1';
import { GroupVersionResource } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../admission.ts';
import { compileRule } from './rule-matcher.ts';

const everything: RuleWithOperations = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };

/** `UPDATE apps/v1/deployments/scale in n`; without `in n` for cluster-scoped objects. */
function matches(rule: Partial<RuleWithOperations>, write: string): boolean {
  const [operation = '', path = '', , namespace = ''] = write.split(' ');
  const [group = '', version = '', resource = '', subresource = ''] = path.split('/');
  const subject = { operation: operation as Operation, subresource, namespace };
  return compileRule({ ...everything, ...rule })({
    ...subject,
    resource: GroupVersionResource.of(group, version, resource),
  });
}

describe('a rule', () => {
  it.each<[Partial<RuleWithOperations>, string, boolean]>([
    [{}, 'CONNECT /v1/pods/exec in n', true],
    [{ operations: ['CREATE', 'UPDATE'] }, 'UPDATE /v1/pods in n', true],
    [{ operations: ['CREATE', 'UPDATE'] }, 'DELETE /v1/pods in n', false],
    [{ operations: [] }, 'DELETE /v1/pods in n', false],
    [{ apiGroups: [''] }, 'CREATE /v1/pods in n', true],
    [{ apiGroups: [''] }, 'CREATE apps/v1/deployments in n', false],
    [{ apiVersions: ['v1beta1'] }, 'CREATE /v1/pods in n', false],
    [{ resources: ['*'] }, 'CREATE /v1/pods in n', true],
    [{ resources: ['*'] }, 'UPDATE /v1/pods/status in n', false],
    [{ resources: ['pods'] }, 'UPDATE /v1/pods/status in n', false],
    [{ resources: ['pods/status'] }, 'UPDATE /v1/pods/status in n', true],
    [{ resources: ['pods/status'] }, 'UPDATE /v1/pods in n', false],
    [{ resources: ['pods/*'] }, 'UPDATE /v1/pods/status in n', true],
    [{ resources: ['pods/*'] }, 'UPDATE /v1/pods in n', true],
    [{ resources: ['*/scale'] }, 'UPDATE apps/v1/deployments/scale in n', true],
    [{ resources: ['*/scale'] }, 'UPDATE apps/v1/deployments in n', false],
    [{ scope: 'Namespaced' }, 'CREATE /v1/pods in n', true],
    [{ scope: 'Namespaced' }, 'CREATE /v1/nodes', false],
    [{ scope: 'Namespaced' }, 'CREATE /v1/namespaces in n', false],
    [{ scope: 'Cluster' }, 'CREATE /v1/nodes', true],
    [{ scope: 'Cluster' }, 'CREATE /v1/namespaces in n', true],
    [{ scope: 'Cluster' }, 'CREATE /v1/pods in n', false],
    [{ scope: '*' }, 'CREATE /v1/pods in n', true],
  ])('%j and %s: %s', (rule, write, expected) => {
    expect(matches(rule, write)).toBe(expected);
  });
});
