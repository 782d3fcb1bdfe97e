import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { Pod } from '../../../generated/core/v1.ts';
import { prepareForCreate, prepareForSubresourceUpdate } from '../../../strategy/prepare.ts';
import { setPodDefaults } from './defaults.ts';
import { podStrategy } from './pod-strategy.ts';

const context = {
  features: FeatureGates.defaults,
  namespace: 'default',
  now: () => new Date('2026-01-02T03:04:05.678Z'),
};

function pod(spec: Partial<Pod['spec']> = {}, fields: Partial<Pod> = {}): Pod {
  const object: Pod = {
    metadata: { name: 'web', namespace: 'default' },
    spec: { containers: [{ name: 'web', image: 'nginx:1' }], ...spec },
    ...fields,
  };
  setPodDefaults(object);
  return object;
}

describe('a new pod', () => {
  it('has a PodScheduled condition with reason SchedulingGated when it has gates', () => {
    const created = prepareForCreate(podStrategy, pod({ schedulingGates: [{ name: 'quota' }] }), context);
    expect(created.status).toEqual({
      phase: 'Pending',
      qosClass: 'BestEffort',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          lastTransitionTime: '2026-01-02T03:04:05Z',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ],
    });
  });

  it('cannot be privileged in a cluster that does not allow it', () => {
    const privileged = pod({
      containers: [{ name: 'web', image: 'x', securityContext: { privileged: true } }],
      securityContext: { windowsOptions: { hostProcess: true } },
      hostNetwork: true,
    });
    const problems = (allowPrivileged: boolean) =>
      podStrategy.validate!(privileged, { ...context, allowPrivileged }).map(String);
    expect(problems(false)).toEqual([
      'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ]);
    expect(problems(true)).toEqual([]);
  });

  it('causes warnings about annotations that are copied to fields during preparation', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/web';
    const warnings: string[] = [];
    const annotated = pod({}, { metadata: { name: 'web', annotations: { [key]: 'unconfined' } } });
    const created = prepareForCreate(podStrategy, annotated, { ...context, warn: (text) => warnings.push(text) });
    expect(created.spec?.containers[0]?.securityContext).toEqual({ appArmorProfile: { type: 'Unconfined' } });
    expect(warnings).toEqual([
      `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    ]);
  });
});

describe('the status of a pod', () => {
  it('keeps the deletionTimestamp of the pod', () => {
    const old = pod({}, { metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const { deletionTimestamp: _, ...metadata } = old.metadata;
    const updated = prepareForSubresourceUpdate<Pod>(podStrategy, 'status', { ...old, metadata }, old, context);
    expect(updated.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
  });
});

describe('ephemeral containers', () => {
  const debug = { name: 'debug', image: 'busybox:1' };
  const old = pod({ ephemeralContainers: [debug] });
  const problems = (spec: Partial<Pod['spec']>) =>
    podStrategy.subresources!.ephemeralcontainers!.validateUpdate!(pod(spec), old, context).map(String);

  it('cannot be removed', () => {
    expect(problems({})).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed\n',
    ]);
  });

  it('cannot be changed', () => {
    expect(problems({ ephemeralContainers: [{ ...debug, image: 'other:1' }] })).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be changed\n' +
        '@@ -1,6 +1,6 @@\n {\n  "Name": "debug",\n- "Image": "busybox:1",\n+ "Image": "other:1",\n' +
        '  "Command": null,\n  "Args": null,\n  "WorkingDir": "",\n',
    ]);
  });

  it('can be added at any position', () => {
    expect(problems({ ephemeralContainers: [{ name: 'first', image: 'x:1' }, debug] })).toEqual([]);
  });
});

describe('a pod can be selected by', () => {
  const selected = pod(
    { nodeName: 'n', schedulerName: 's', serviceAccountName: 'a', hostNetwork: true },
    { status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }], nominatedNodeName: 'm' } },
  );

  it.each([
    ['spec.nodeName', 'n', ''],
    ['spec.host', 'n', ''],
    ['spec.restartPolicy', 'Always', 'Always'],
    ['spec.schedulerName', 's', 'default-scheduler'],
    ['spec.serviceAccountName', 'a', ''],
    ['spec.hostNetwork', 'true', 'false'],
    ['status.phase', 'Running', ''],
    ['status.podIP', '10.0.0.1', ''],
    ['status.podIPs', '', ''],
    ['status.nominatedNodeName', 'm', ''],
  ])('%s', (field, value, otherwise) => {
    expect(podStrategy.selectableFields![field]!(selected)).toBe(value);
    expect(podStrategy.selectableFields![field]!(pod())).toBe(otherwise);
  });
});
