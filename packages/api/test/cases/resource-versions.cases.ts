import type { CaseSuite } from '../case.ts';

const spec = (versionHasExactly: boolean) => {
  const exact = { deviceClassName: 'gpu', tolerations: [{ key: 'a' }], selectors: [{ cel: { expression: 'true' } }] };
  return {
    devices: {
      requests: [
        { name: 'a', ...(versionHasExactly ? { exactly: exact } : exact) },
        { name: 'b', firstAvailable: [{ name: 's', deviceClassName: 'gpu' }] },
      ],
      constraints: [{ matchAttribute: 'example.com/a' }],
    },
  };
};
const device = {
  attributes: { model: { string: 'x' } },
  taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' }],
};
const metadata = { name: 'cases-versions' };
const object = (version: string, kind: string, body: object) => ({
  object: { apiVersion: `resource.k8s.io/${version}`, kind, metadata, ...body },
});
const kinds = (version: string) => {
  const isFlat = version === 'v1beta1';
  return {
    DeviceClass: object(version, 'DeviceClass', { spec: { selectors: [{ cel: { expression: 'true' } }] } }),
    ResourceClaim: object(version, 'ResourceClaim', { spec: spec(!isFlat) }),
    ResourceClaimTemplate: object(version, 'ResourceClaimTemplate', { spec: { spec: spec(!isFlat) } }),
    ResourceSlice: object(version, 'ResourceSlice', {
      spec: {
        driver: 'example.com',
        pool: { name: 'p', resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [isFlat ? { name: 'd', basic: device } : { name: 'd', ...device }],
      },
    }),
  };
};
const versions = ['v1', 'v1beta2', 'v1beta1'];
const all = versions.flatMap((version) =>
  Object.entries(kinds(version)).map(([kind, base]) => [`${kind} of ${version}`, base] as const),
);

export const suite: CaseSuite = {
  bases: Object.fromEntries(all),
  cases: {
    ...Object.fromEntries(all.map(([name]) => [`${name} keeps what it says`, { create: name }])),
    'a flat request without a class has no defaults': {
      create: 'ResourceClaim of v1beta1',
      change: (claim) => {
        claim.spec.devices.requests = [
          { name: 'a', tolerations: [{ key: 'a' }] },
          { name: 'b' },
          { name: 'c', count: 2 },
        ];
      },
    },
    'a flat request may not have alternatives too': {
      create: 'ResourceClaim of v1beta1',
      change: (claim) => {
        claim.spec.devices.requests[1].deviceClassName = 'gpu';
      },
    },
    'a device may say nothing': {
      create: 'ResourceSlice of v1beta1',
      change: (slice) => {
        slice.spec.devices = [{ name: 'd' }];
        delete slice.spec.nodeName;
        slice.spec.allNodes = true;
      },
    },
    'errors name the newest form': {
      create: 'ResourceSlice of v1beta1',
      change: (slice) => {
        slice.spec.nodeName = '';
        slice.spec.devices[0].basic.attributes.model = {};
      },
    },
    'an old version is immutable': {
      update: 'ResourceClaim of v1beta1',
      change: (claim) => {
        claim.spec.devices.requests[0].count = 5;
      },
    },
    'an old version is printed': { table: 'ResourceClaim of v1beta1' },
  },
};
