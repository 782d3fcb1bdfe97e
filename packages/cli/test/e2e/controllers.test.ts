import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from './binaries.ts';
import { CoxApiServer } from './cox-apiserver.ts';
import { CoxProcess } from './cox-process.ts';
import { Shell } from './shell.ts';

const isWorking = /controllers are running/;

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as import('node:net').AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/* An API server and two controller managers in separate processes, and a shell with kubectl. */

describe.skipIf(!findBinary('kubectl'))('cox controller-manager', () => {
  let server: CoxApiServer;
  let first: CoxProcess;
  let second: CoxProcess;
  let shell: Shell;
  let port: number;

  beforeAll(async () => {
    server = await CoxApiServer.start();
    const pki = (name: string): string => join(server.directory, 'pki', name);
    const start = (...further: string[]) =>
      new CoxProcess([
        'controller-manager',
        `--kubeconfig=${server.kubeconfig}`,
        `--root-ca-file=${pki('ca.crt')}`,
        `--service-account-private-key-file=${pki('sa.key')}`,
        `--cluster-signing-cert-file=${pki('ca.crt')}`,
        `--cluster-signing-key-file=${pki('ca.key')}`,
        '--leader-elect-lease-duration=4s',
        '--leader-elect-renew-deadline=3s',
        '--leader-elect-retry-period=500ms',
        '--use-service-account-credentials',
        ...further,
      ]);
    port = await freePort();
    first = start(
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--authentication-kubeconfig=${server.kubeconfig}`,
      `--authorization-kubeconfig=${server.kubeconfig}`,
    );
    await first.says(isWorking);
    second = start('--secure-port=0');
    shell = new Shell(server.kubeconfig);
  }, 120_000);
  afterAll(async () => {
    shell?.close();
    await first?.stop();
    await second?.stop();
    await server?.stop();
  }, 60_000);

  it('creates the pods of a Deployment, with Events', async () => {
    await shell.run('kubectl create namespace shop');
    await shell.run('kubectl -n shop create deployment web --image=web:1 --replicas=3');
    await shell.run("kubectl -n shop wait deployment/web --for=jsonpath='{.status.replicas}'=3");
    expect((await shell.run('kubectl -n shop get pods --no-headers')).trim().split('\n').length).toBe(3);
    const events = await shell.run('kubectl -n shop get events -o custom-columns=:.reason,:.message --no-headers');
    expect(events).toMatch(/ScalingReplicaSet +Scaled up replica set web-\S+ from 0 to 3/);
    expect(events).toMatch(/SuccessfulCreate +Created pod: web-/);
  });

  it('serves its health and metrics to authorized users', async () => {
    await shell.run('kubectl create serviceaccount scraper');
    await shell.run(
      'kubectl create clusterrolebinding scraper --clusterrole=system:monitoring --serviceaccount=default:scraper',
    );
    const url = `https://127.0.0.1:${port}`;
    expect(await shell.run(`curl -sk "${url}/healthz?verbose"`)).toContain('[+]deployment-controller ok');
    expect(await shell.run(`curl -sk ${url}/metrics`)).toContain(
      'forbidden: User \\"system:anonymous\\" cannot get path \\"/metrics\\"',
    );
    const metrics = await shell.run(
      `curl -sk -H "Authorization: Bearer $(kubectl create token scraper)" ${url}/metrics`,
    );
    expect(metrics).toMatch(/^workqueue_adds_total\{name="deployment"\} [1-9]/m);
    expect(metrics).toContain('leader_election_master_status{name="kube-controller-manager"} 1\n');
  });

  it('creates the default service account and the root CA in every namespace', async () => {
    await shell.run('kubectl -n shop wait --for=create serviceaccount/default configmap/kube-root-ca.crt');
    expect(await shell.run('kubectl -n shop get configmap kube-root-ca.crt -o yaml')).toContain('BEGIN CERTIFICATE');
  });

  it('signs certificates that are approved', async () => {
    const request = `openssl req -new -newkey rsa:2048 -nodes -keyout key -subj /CN=jane 2>/dev/null | base64 -w0`;
    await shell.run(`kubectl apply -f - <<E
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: jane}
spec: {signerName: kubernetes.io/kube-apiserver-client, usages: [client auth], request: $(${request})}
E`);
    await shell.run('kubectl certificate approve jane');
    await shell.run("kubectl wait csr/jane --for=jsonpath='{.status.certificate}'");
    const subject =
      "kubectl get csr jane -o jsonpath='{.status.certificate}' | base64 -d | openssl x509 -noout -subject";
    expect(await shell.run(subject)).toMatch(/CN ?= ?jane/);
  });

  it('is replaced by the other instance when it is killed, and a rollout continues', async () => {
    await first.stop('SIGKILL');
    await shell.run('kubectl -n shop set image deployment/web web=web:2');
    await second.says(isWorking);
    await shell.run("kubectl -n shop wait deployment/web --for=jsonpath='{.status.updatedReplicas}'=1");
    expect((await shell.run('kubectl -n shop get replicasets --no-headers')).trim().split('\n').length).toBe(2);
    await shell.run('kubectl -n shop rollout undo deployment/web');
    await shell.run("kubectl -n shop wait deployment/web --for=jsonpath='{.status.updatedReplicas}'=3");
    expect(await shell.run('kubectl -n shop rollout history deployment/web')).toMatch(/2 .*\n3 /);
  });

  it('collects garbage, and finalizes namespaces', async () => {
    await shell.run('kubectl -n shop delete deployment web --cascade=foreground');
    expect(await shell.run('kubectl -n shop get pods,replicasets')).toBe('No resources found in shop namespace.');
    expect(await shell.run('kubectl delete namespace shop --timeout=30s')).toContain('namespace "shop" deleted');
    expect(await shell.run('kubectl get namespace shop')).toContain('NotFound');
  });

  it('releases its lease when it is stopped', async () => {
    expect(await second.stop()).toBe(0);
    const holder = "kubectl -n kube-system get lease kube-controller-manager -o jsonpath='{.spec.holderIdentity}'";
    expect(await shell.run(holder)).toBe('');
  });
});
