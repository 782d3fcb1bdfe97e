import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, RESTClient } from '@coxswain/client';
import { expect, it } from 'vitest';
import { describePod } from './main.ts';

it('finds a pod over HTTPS, with a kubeconfig', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'cox-example-'));
  const server = await startApiServer({
    dataDir,
    securePort: 0,
    bindAddress: '127.0.0.1',
    disableAdmissionPlugins: ['ServiceAccount'],
  });
  try {
    const me = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
    const pods = new ClientSet(new RESTClient(me)).core.v1.pods('default');
    await pods.create({ metadata: { name: 'example' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    expect(await describePod(server.kubeconfigPath, 'example')).toBe('default/example: Pending, on no node');
    expect(await describePod(server.kubeconfigPath, 'nobody')).toBe('there is no pod default/nobody');
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true });
  }
});
