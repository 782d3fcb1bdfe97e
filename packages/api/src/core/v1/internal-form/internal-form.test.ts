import { describe, expect, it } from 'vitest';
import { samePodSpec, sameResources } from '../pod/update/same-pod-spec.ts';
import { internalForm, withHostFields } from './internal-form.ts';

describe('internalForm', () => {
  it('has the names, nulls and zeroes of the type', () => {
    expect(JSON.stringify(internalForm('Toleration', { key: 'a' }))).toBe(
      '{"Key":"a","Operator":"","Value":"","Effect":"","TolerationSeconds":null}',
    );
  });

  it('sorts maps and keeps the JSON names of selectors', () => {
    const term = { topologyKey: 'a', labelSelector: { matchLabels: { b: '1', a: '2' } } };
    expect(JSON.stringify(internalForm('PodAffinityTerm', term))).toBe(
      '{"LabelSelector":{"matchLabels":{"a":"2","b":"1"}},"Namespaces":null,"TopologyKey":"a",' +
        '"NamespaceSelector":null,"MatchLabelKeys":null,"MismatchLabelKeys":null}',
    );
  });

  it('keeps a key named __proto__', () => {
    const labels = JSON.parse('{"__proto__":"x"}');
    const { NodeSelector } = internalForm('PodSpec', { nodeSelector: labels });
    expect(JSON.stringify(NodeSelector)).toBe('{"__proto__":"x"}');
  });

  it('prints the host fields of a pod inside its security context', () => {
    const { SecurityContext } = internalForm('PodSpec', withHostFields({ hostNetwork: true, hostUsers: false }));
    expect(SecurityContext).toMatchObject({ HostNetwork: true, HostPID: false, HostUsers: false, RunAsUser: null });
  });

  it('throws for an unknown type', () => {
    expect(() => internalForm('Nothing', {})).toThrow('no internal type Nothing');
  });
});

describe('samePodSpec', () => {
  const spec = (memory: string) => ({
    containers: [{ name: 'a', resources: { requests: { memory } } }],
  });

  it('compares quantities by value, not by notation', () => {
    expect(samePodSpec(spec('1Gi'), spec('1073741824'))).toBe(true);
    expect(samePodSpec(spec('1Gi'), spec('1G'))).toBe(false);
    expect(sameResources({ limits: { cpu: '1000' } }, { limits: { cpu: '1k' } })).toBe(true);
    expect(sameResources({}, undefined)).toBe(false);
  });
});
