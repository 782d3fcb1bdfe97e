import { Catalogue, FeatureGates } from '@coxswain/api';
import { describe, expect, it } from 'vitest';
import { servedResources } from './served-resources.ts';

const catalogue = Catalogue.builtIn();
const served = (config: Record<string, string>, gates: Record<string, boolean> = {}): string[] =>
  servedResources(catalogue, new Map(Object.entries(config)), new FeatureGates(gates)).flatMap((gv) =>
    gv.resources.map(({ name }) => `${gv.group}/${gv.version}/${name}`),
  );

describe('the served resources', () => {
  it('are those of the stable versions by default', () => {
    const names = served({});
    expect(names).toContain('/v1/pods');
    expect(names).toContain('resource.k8s.io/v1/resourceclaims');
    expect(names.filter((name) => /alpha|beta/.test(name))).toEqual([]);
  });

  it('include every version with api/all, except resources whose feature gate is off', () => {
    const names = served({ 'api/all': 'true' });
    expect(names).toContain('resource.k8s.io/v1alpha3/devicetaintrules');
    expect(names).not.toContain('certificates.k8s.io/v1beta1/clustertrustbundles');
    expect(served({ 'api/all': 'true' }, { ClusterTrustBundle: true })).toContain(
      'certificates.k8s.io/v1beta1/clustertrustbundles',
    );
  });

  it('follow the most specific runtime-config key, in any order', () => {
    const names = served({
      'storage.k8s.io/v1/csinodes': 'false',
      'api/beta': 'true',
      'networking.k8s.io/v1beta1': 'false',
      'api/all': 'false',
      'apps/v1': '',
      'storage.k8s.io/v1': 'true',
    });
    expect(names).toContain('apps/v1/deployments');
    expect(names).toContain('storage.k8s.io/v1/csidrivers');
    expect(names).not.toContain('storage.k8s.io/v1/csinodes');
    expect(names).not.toContain('/v1/pods');
    expect(names).toContain('coordination.k8s.io/v1beta1/leasecandidates');
    expect(names.filter((name) => name.startsWith('networking.k8s.io/'))).toEqual([]);
  });

  it('may include a single resource of a disabled version', () => {
    const names = served({ 'resource.k8s.io/v1beta2/devicetaintrules': 'true' });
    expect(names.filter((name) => name.includes('v1beta2'))).toEqual(['resource.k8s.io/v1beta2/devicetaintrules']);
  });

  it.each(['v1', 'api/v1', '/v1', 'api/v1/pods'])('accept %s as a name of the core group’s version', (key) => {
    expect(served({ [key]: 'false' }).some((name) => name.startsWith('/v1/'))).toBe(false);
    expect(served({ 'api/all': 'false', [key]: 'true' })).toContain('/v1/pods');
  });

  it.each([
    ['only api/all=false', { 'api/all': 'false' }, 'invalid runtime-config with only api/all=false'],
    ['neither true nor false', { 'api/beta': '1' }, 'invalid value api/beta=1'],
    ['a key without a version', { v2: 'true' }, 'runtime-config invalid key v2'],
    [
      'a former name of the core group with a value that is no boolean',
      { 'api/v1': 'maybe' },
      'invalid value of /v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      'groups that do not exist',
      { 'b.example/v1': 'true', 'a.example/v1': 'true' },
      'unknown api groups a.example/v1,b.example/v1',
    ],
    ['a version that does not exist', { 'apps/v9': 'true' }, 'group version apps/v9 that has not been registered'],
    [
      'a value that is no boolean',
      { 'apps/v1': 'maybe' },
      'invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      'a resource in capitals',
      { 'apps/v1/Deployments': 'true' },
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
  ])('refuses %s', (_, config, message) => {
    expect(() => served(config)).toThrow(new Error(message));
  });
});
