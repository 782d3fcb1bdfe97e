import type { Pod } from '@coxswain/api/core/v1';
import { readJson } from '@coxswain/apimachinery/codec/json';
import { FakeClock, silentLogger } from '@coxswain/client';
import { expect, it } from 'vitest';
import { HollowRuntime } from '../hollow/hollow-runtime.ts';
import { KubeRuntime } from '../runtime/kube-runtime.ts';
import { defaultRuntimeSettings } from '../runtime/runtime-settings.ts';
import { StatsProvider } from '../stats/stats-provider.ts';
import { kubeletHandler } from './kubelet-handler.ts';

it('lists pods with all digits of their integers', async () => {
  const text = '{"metadata":{"name":"p"},"spec":{"containers":[],"terminationGracePeriodSeconds":9007199254740993}}';
  const clock = new FakeClock();
  const hollow = new HollowRuntime({ clock });
  const machine = { logs: hollow, terminationMessage: async () => undefined };
  const runtime = new KubeRuntime({ cri: hollow.services, machine, settings: defaultRuntimeSettings, clock });
  const handle = kubeletHandler({
    nodeName: 'n',
    clock,
    logger: silentLogger,
    runtime,
    stats: new StatsProvider({ nodeName: 'n', runtime, clock }),
    logs: hollow,
    pods: () => [readJson(text) as Pod],
  });
  const { body } = await handle({
    method: 'GET',
    path: '/pods',
    search: '',
    headers: {},
    connection: { remoteAddress: '127.0.0.1', protocol: 'HTTP/1.1', clientCertificates: [] },
    signal: new AbortController().signal,
    readBody: async () => new Uint8Array(),
    async *streamBody() {},
  });
  expect(body instanceof Uint8Array && Buffer.from(body).toString()).toContain(text.slice(1, -1));
});
