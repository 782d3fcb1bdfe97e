/**
 * Records the answers of CoreDNS to the queries of `queries.ts`. Needs CoreDNS: `go build` in `test/conformance/nodes/coredns`, and its path in `COREDNS`.
 *
 *     COREDNS=… npx tsx --conditions=coxswain-source packages/dns/test/record.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, RESTClient } from '@coxswain/client';
import { ask, type SeenAnswer } from './ask.ts';
import { createObjects } from './cluster-objects.ts';
import { freePort } from './free-port.ts';
import { queryGroups } from './queries.ts';
import { startUpstreamServer } from './upstream-server.ts';

const coredns = process.env.COREDNS ?? 'coredns';
const directory = await mkdtemp(join(tmpdir(), 'cox-dns-'));
const server = await startApiServer({
  memory: true,
  securePort: 0,
  bindAddress: '127.0.0.1',
  disableAdmissionPlugins: ['ServiceAccount'],
  serviceClusterIpRange: ['10.96.0.0/16', 'fd00:10:96::/112'],
  certDir: directory,
});
const kubeconfig = join(directory, 'kubeconfig');
await writeFile(kubeconfig, server.kubeconfig ?? '');
const admin = server.transport({ username: 'admin', groups: ['system:masters'] });
await createObjects(new ClientSet(new RESTClient(new InProcessTransport(admin))));
const upstream = await startUpstreamServer();
const recorded: Record<string, Record<string, SeenAnswer>> = {};
try {
  for (const { title, corefile, queries } of queryGroups) {
    const port = await freePort();
    const path = join(directory, 'Corefile');
    const text = corefile
      .replaceAll('PORT', String(port))
      .replaceAll('UPSTREAM', String(upstream.port))
      .replaceAll('CONNECTION', `kubeconfig ${kubeconfig}`);
    await writeFile(path, text);
    const child = spawn(coredns, ['-conf', path], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of child.stdout) if (String(line).includes('CoreDNS-')) break;
    recorded[title] = {};
    for (const query of queries) recorded[title][JSON.stringify(query)] = await ask(port, query);
    child.kill();
    await once(child, 'exit');
  }
} finally {
  await upstream.close();
  await server.stop();
  await rm(directory, { recursive: true });
}
await writeFile(
  fileURLToPath(new URL('./recorded/answers.json', import.meta.url)),
  `${JSON.stringify(recorded, undefined, 1)}\n`,
);
