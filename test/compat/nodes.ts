import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterRoleBinding } from '@coxswain/api/rbac/v1';
import { ClientSet, RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { busyboxImage, startContainerd } from '@coxswain/cri/testing';
import { ScratchNode } from '@coxswain/kubelet/testing';
import type { ApiServer } from './api-servers.ts';
import { freePort, type Stage } from './stage.ts';

/** A node that runs containers, as the judge needs to know it. */
export interface JudgedNode {
  readonly name: string;
  /** The directory of its static pods. */
  readonly manifests: string;
  /** An image with busybox. */
  readonly image: string;
}

const name = 'compat-node';
const podCIDR = '10.213.62.0/24';
const token = { id: 'compat', secret: '0123456789abcdef' };
const group = 'system:bootstrappers:compat';
const kubeconfigTimeoutMs = 60_000;

/**
 * Starts a containerd, and a kubelet that joins the cluster with a bootstrap token. `command` is that of `cox kubelet` or of upstream's
 * kubelet, to which flags are added.
 */
export async function startNode(stage: Stage, server: ApiServer, command: readonly string[]): Promise<JudgedNode> {
  const { admin, caPem } = await prepareCluster(server);
  const clientCA = await clientAuthorities(stage, admin);
  await admin.rest.close();
  // First, so that its files are removed after containerd has ended.
  const directory = `${stage.folder}-node`;
  const runtime = join(stage.folder, 'containerd');
  const node = await ScratchNode.create({
    ...{ name, directory, clientCA, port: await freePort() },
    runtimeEndpoint: `unix://${runtime}/containerd.sock`,
    kubeconfig: join(directory, 'kubeconfig'),
    bootstrapKubeconfig: writeBootstrapKubeconfig(stage.folder, await serverOf(server), caPem),
    configuration: {
      rotateCertificates: true,
      serverTLSBootstrap: true,
      // So that volumes follow within the patience of the judge.
      syncFrequency: '5s',
      fileCheckFrequency: '1s',
    },
  });
  stage.atEnd(() => node.remove());
  const containerd = await startContainerd({ directory: runtime, podCIDR });
  stage.atEnd(() => containerd.close());
  await stage.start('kubelet', [...command, ...node.flags]);
  return { name, manifests: node.manifests, image: busyboxImage };
}

/** Creates the bootstrap token and the roles that kubeadm gives to nodes. */
async function prepareCluster({ kubeconfig }: ApiServer): Promise<{ admin: ClientSet; caPem: string }> {
  const config = await loadRestConfig({ path: kubeconfig });
  const admin = new ClientSet(RESTClient.forConfig({ ...config, qps: 0 }));
  await admin.core.v1.secrets('kube-system').create({
    metadata: { name: `bootstrap-token-${token.id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': token.id,
      'token-secret': token.secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': group,
    },
  });
  const requests = 'system:certificates.k8s.io:certificatesigningrequests';
  for (const binding of [
    bindingOf('compat:bootstrap', 'system:node-bootstrapper', group),
    bindingOf('compat:approve', `${requests}:nodeclient`, group),
    bindingOf('compat:approve-renewals', `${requests}:selfnodeclient`, 'system:nodes'),
  ]) {
    await admin.rbac.v1.clusterRoleBindings().create(binding);
  }
  const ca = config.tls?.ca ?? '';
  return { admin, caPem: typeof ca === 'string' ? ca : await ca() };
}

function bindingOf(name: string, role: string, member: string): ClusterRoleBinding {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind: 'Group', name: member }],
  };
}

/** Returns the authorities of clients, in PEM. The API server publishes them soon after its start. */
async function clientAuthorities(stage: Stage, { core }: ClientSet): Promise<string> {
  const published = async (): Promise<string> => {
    for (;;) {
      const found = await core.v1
        .configMaps('kube-system')
        .get('extension-apiserver-authentication')
        .catch(() => undefined);
      const pem = found?.data?.['client-ca-file'];
      if (pem) return pem;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  return await stage.waitFor(published(), "the authorities of the API server's clients", kubeconfigTimeoutMs);
}

const serverOf = async ({ kubeconfig }: ApiServer): Promise<string> =>
  (await loadRestConfig({ path: kubeconfig })).server;

function writeBootstrapKubeconfig(folder: string, server: string, caPem: string): string {
  const path = join(folder, 'bootstrap.kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } }],
    users: [{ name: 'u', user: { token: `${token.id}.${token.secret}` } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
