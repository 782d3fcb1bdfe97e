import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigMap } from '@coxswain/api/core/v1';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadRestConfig } from '../../src/kubeconfig/index.ts';
import { ClientSet } from '../../src/kubernetes/index.ts';
import { RESTClient } from '../../src/rest/index.ts';
import type { Transport } from '../../src/transport/index.ts';
import { newTransport } from '../../src/transport/new-transport.ts';
import { fastClock } from './fast-clock.ts';
import { disorder, versions, WatchedInformer } from './watched-informer.ts';

let folder: string;
let server: RunningApiServer;
const start = (port: number): Promise<RunningApiServer> =>
  startApiServer({ dataDir: folder, securePort: port, bindAddress: '127.0.0.1' });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cox-client-'));
  server = await start(0);
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

it('an informer loses nothing when the server is restarted under load', async () => {
  const clock = fastClock(50);
  const config = { ...(await loadRestConfig({ path: server.kubeconfigPath! })), clock, qps: 0 };
  const transport: Transport = await newTransport(config);
  const rest = new RESTClient(transport);
  const configMaps = new ClientSet(rest).core.v1.configMaps('default');
  const watched = new WatchedInformer(rest, 'default', clock);
  await watched.informer.whenSynced();

  const done = new AbortController();
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; !done.signal.aborted; round++) {
      const object: ConfigMap = { metadata: { name: `w${writer}-${round % 20}` }, data: { round: String(round) } };
      // The server may be down, or its response to the create may be lost.
      await configMaps.create(object).catch(() => configMaps.update(object).catch(() => undefined));
      if (round % 7 === 6) await configMaps.delete(object.metadata.name!).catch(() => undefined);
    }
  };
  const writers = [0, 1, 2, 3].map(write);
  for (let restart = 0; restart < 3; restart++) {
    // Restart during the writes, after some more have been observed.
    await watched.sees(100);
    const port = Number(new URL(server.url!).port);
    await server.stop();
    server = await start(port);
  }
  await watched.sees(100);
  done.abort();
  await Promise.all(writers);

  await watched.becomes(versions((await configMaps.list()).items));
  for (const sightings of watched.sightings.values()) expect(disorder(sightings)).toBeUndefined();
  await watched.stop();
  await transport.close();
});
