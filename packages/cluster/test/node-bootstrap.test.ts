import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientSet, newTransport, RESTClient } from '@coxswain/client';
import { bootstrapClientCertificate } from '@coxswain/client/certificates';
import { formatKubeConfig, loadRestConfig, parseKubeConfig, restConfigFor } from '@coxswain/client/kubeconfig';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster, defaultComponents } from '../src/index.ts';
import { nodeTokenGroup } from '../src/nodes/node-bootstrap-rbac.ts';

let cluster: Cluster;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-join-'));
  const apiServer = { port: 0, flags: { enableBootstrapTokenAuth: true } };
  cluster = await Cluster.start({ nodes: 0, components: defaultComponents({ apiServer, nodesMayJoin: true }) });
  await cluster.whenReady();
});
afterAll(async () => {
  await cluster.stop();
  await rm(directory, { recursive: true });
});

it('a machine with a bootstrap token gets a certificate of a node, and no other rights', async () => {
  await cluster.clients.core.v1.secrets('kube-system').create({
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': nodeTokenGroup,
    },
  });
  const config = await parseKubeConfig(cluster.kubeconfig!);
  config.users.set(config.contexts.get(config.currentContext)?.user ?? '', { token: 'abcdef.0123456789abcdef' });
  const rest = new RESTClient(newTransport(await restConfigFor(config)));
  const joining = new ClientSet(rest);
  await expect(joining.core.v1.secrets('kube-system').list()).rejects.toThrow('forbidden');
  await expect(joining.core.v1.pods('default').list()).rejects.toThrow('forbidden');
  const [kubeconfigPath, bootstrapPath] = [join(directory, 'kubeconfig'), join(directory, 'bootstrap')];
  await writeFile(bootstrapPath, await formatKubeConfig(config));
  const certificateDirectory = join(directory, 'pki');
  await bootstrapClientCertificate({ kubeconfigPath, bootstrapPath, certificateDirectory, nodeName: 'joined' });
  const node = new RESTClient(newTransport(await loadRestConfig({ path: kubeconfigPath })));
  const created = await new ClientSet(node).core.v1.nodes().create({ metadata: { name: 'joined' } });
  expect(created.metadata.name).toBe('joined');
  await node.close();
  await rest.close();
});
