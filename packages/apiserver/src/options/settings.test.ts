import { createSecureContext } from 'node:tls';
import { FeatureGates } from '@coxswain/api';
import { silentLogger } from '@coxswain/apimachinery/log';
import { systemRandom } from '@coxswain/apimachinery/random';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { alwaysAllow } from '@coxswain/component-base/authorization';
import { parseFeatureGates } from '@coxswain/component-base/features';
import { listenHost, type NetworkInterfaces } from '@coxswain/component-base/http';
import { tlsCiphers } from '@coxswain/component-base/serving';
import { describe, expect, it } from 'vitest';
import { enabledAdmissionPlugins, knownAdmissionPlugins } from '../admission/admission-plugins.ts';
import { PolicyMetrics } from '../admission/policy/index.ts';
import { WebhookMetrics } from '../admission/webhook/index.ts';
import { MemoryClient } from '../authorization/memory-client.test-data.ts';
import { MemoryListers } from '../authorization/memory-listers.test-data.ts';
import { admissionPlugins } from '../server/default-admission.ts';
import { defaultAdvertiseAddress, localHost } from './addresses.ts';
import type { ApiServerOptions } from './api-server-flags.ts';
import { completeOptions } from './complete-options.ts';

const address = (text: string, internal = false) => ({
  address: text,
  family: text.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
  internal,
  netmask: '',
  mac: '',
  cidr: null,
  scopeid: 0,
});
const interfaces: NetworkInterfaces = {
  lo: [address('127.0.0.1', true), address('::1', true)],
  eth0: [address('169.254.3.4'), address('192.0.2.7'), address('fe80::1'), address('2001:db8::7')],
};

describe('the default advertise address', () => {
  it.each([
    ['192.0.2.1', 'IPv4', '192.0.2.1'],
    ['0.0.0.0', 'IPv4', '192.0.2.7'],
    ['::', 'IPv6', '2001:db8::7'],
    ['127.0.0.1', 'IPv4', '192.0.2.7'],
  ] as const)('listening on %s with services of %s is %s', (bind, family, expected) => {
    expect(defaultAdvertiseAddress(bind, family, interfaces)).toBe(expected);
  });

  it('is a loopback address when there is no other', () => {
    expect(defaultAdvertiseAddress('0.0.0.0', 'IPv4', {})).toBe('127.0.0.1');
  });
});

describe('the address to listen on', () => {
  it('is dual-stack when the machine has both families', () => {
    expect(listenHost('0.0.0.0', interfaces)).toBe('::');
    expect(listenHost('0.0.0.0', { eth0: [address('192.0.2.7')] })).toBe('0.0.0.0');
    expect(listenHost('192.0.2.7', interfaces)).toBe('192.0.2.7');
  });

  it('is translated to a host for URLs', () => {
    expect(['0.0.0.0', '::', '192.0.2.7', '2001:db8::7'].map(localHost)).toEqual([
      '127.0.0.1',
      '127.0.0.1',
      '192.0.2.7',
      '[2001:db8::7]',
    ]);
  });
});

describe('cipher suites', () => {
  it('are translated to OpenSSL names', () => {
    const ciphers = tlsCiphers(['TLS_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256']);
    expect(ciphers?.split(':')).toContain('ECDHE-RSA-AES128-GCM-SHA256');
    expect(() => createSecureContext({ ciphers })).not.toThrow();
  });

  it('are OpenSSL’s defaults when none are given', () => {
    expect(tlsCiphers([])).toBeUndefined();
  });
});

describe('feature gates', () => {
  it('are set one by one, or for all of a stage', () => {
    const gates = parseFeatureGates(['AllAlpha=true,kube:HPAScaleToZero=false', 'AllBeta=false']);
    expect(gates.enabled('CBORServingAndStorage')).toBe(true);
    expect(gates.enabled('HPAScaleToZero')).toBe(false);
    expect(gates.enabled('PodDeletionCost')).toBe(false);
  });
});

describe('the table of admission plug-ins', () => {
  it('contains those that the server has', () => {
    const said = [...knownAdmissionPlugins.keys()];
    const listers = new MemoryListers();
    const made = admissionPlugins([...knownAdmissionPlugins.keys()], {
      listers,
      client: new MemoryClient(listers),
      authorizer: alwaysAllow,
      features: FeatureGates.defaults,
      now: () => new Date(),
      random: systemRandom,
      webhooks: {
        client: { call: () => Promise.reject(new Error('no webhook may be called')) },
        metrics: new WebhookMetrics(),
        compileConditions: () => async () => [],
        uuid: systemRandom.uuid,
        logger: silentLogger,
      },
      policies: {
        eventLoop: systemEventLoop,
        params: () => undefined,
        metrics: new PolicyMetrics(),
        conditionMetrics: new WebhookMetrics(),
      },
      configuration: {
        EventRateLimit: [],
        ImagePolicyWebhook: {
          kubeConfigFile: '',
          allowTtlMs: 0,
          denyTtlMs: 0,
          retryBackoffMs: 0,
          defaultAllow: false,
        },
      },
      ownerMapper: () => undefined,
    });
    expect(made.map(({ name }) => name)).toEqual(said.filter((name) => name !== 'AlwaysAdmit'));
  });

  it.each<[ApiServerOptions, boolean]>([
    [{}, true],
    [{ authorizationMode: ['RBAC', 'Node'] }, true],
    [{ authorizationMode: ['RBAC'] }, false],
    [{ enableAdmissionPlugins: ['NodeRestriction'] }, true],
    [{ disableAdmissionPlugins: ['NodeRestriction'] }, false],
  ])('enables NodeRestriction with the Node authorizer: %j', async (options, expected) => {
    const { config } = await completeOptions({ memory: true, ...options });
    const on = enabledAdmissionPlugins(config.enabledAdmissionPlugins, config.disabledAdmissionPlugins);
    expect(on.includes('NodeRestriction')).toBe(expected);
    await config.store.close();
  });

  it('sorts enabled plug-ins in execution order', () => {
    const chosen = enabledAdmissionPlugins(['NodeRestriction', 'NamespaceExists'], ['ServiceAccount']);
    const shown = [
      'NodeRestriction',
      'NamespaceLifecycle',
      'Priority',
      'NamespaceExists',
      'ServiceAccount',
      'AlwaysDeny',
    ];
    expect(chosen.filter((name) => shown.includes(name))).toEqual([
      'NamespaceLifecycle',
      'NamespaceExists',
      'NodeRestriction',
      'Priority',
    ]);
  });
});
