import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configMapSource, DnsMetrics, KubeDnsService, textSource } from '../src/index.ts';
import { Flag } from '../src/wire/index.ts';
import { systemClock } from '@coxswain/client';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { silentLogger } from '@coxswain/apimachinery/log';
import { ask, queryMessage, sendTcp, sendUdp } from './ask.ts';
import { startTestCluster, startTestDns, type TestCluster, type TestDns } from './test-dns.ts';

let cluster: TestCluster;
let dns: TestDns | undefined;
beforeEach(async () => {
  cluster = await startTestCluster();
});
afterEach(async () => {
  await dns?.stop();
  dns = undefined;
  await cluster.stop();
});

const corefile = '.:53 {\n kubernetes cluster.local\n}\n';
const web = { name: 'web.default.svc.cluster.local.', type: 'A' };

const createWeb = (clusterIP = '10.96.0.50') =>
  cluster.clients.core.v1
    .services('default')
    .create({ metadata: { name: 'web' }, spec: { clusterIP, ports: [{ port: 80 }] } });

/** Asks until the answer is as expected: a watch needs some time. */
async function until(query: typeof web, records: readonly string[], port = dns?.port ?? 0): Promise<void> {
  for (;;) {
    const { answer } = await ask(port, query);
    if (JSON.stringify(answer) === JSON.stringify(records)) return;
  }
}

const address = (text: string): string => `web.default.svc.cluster.local. 5 in a ${text}`;

describe('a DNS server', () => {
  it('follows the cluster: a name appears, changes, and is gone', async () => {
    dns = await startTestDns(cluster.rest, corefile);
    expect(await ask(dns.port, web)).toMatchObject({ rcode: 'NXDOMAIN' });
    await createWeb();
    await until(web, [address('10.96.0.50')]);
    await cluster.clients.core.v1.services('default').delete('web');
    await until(web, []);
    expect(await ask(dns.port, web)).toMatchObject({ rcode: 'NXDOMAIN' });
  });

  it('answers from its cache while the API server is away', async () => {
    await createWeb();
    dns = await startTestDns(cluster.rest, corefile);
    await cluster.stop();
    expect(await ask(dns.port, web)).toMatchObject({ answer: [address('10.96.0.50')] });
    expect(await ask(dns.port, { ...web, name: 'other.default.svc.cluster.local.' })).toMatchObject({
      rcode: 'NXDOMAIN',
    });
  });

  it('fails queries for the cluster, but for nothing else, before it has seen the cluster', async () => {
    await cluster.stop();
    const text = `.:53 {\n kubernetes cluster.local {\n  startup_timeout 10ms\n }\n hosts example.org {\n 10.1.1.1 www.example.org\n }\n}\n`;
    dns = await startTestDns(cluster.rest, text);
    expect(dns.log.join('\n')).toContain('Starting server with unsynced Kubernetes API');
    expect(await ask(dns.port, web)).toMatchObject({ rcode: 'SERVFAIL' });
  });

  it('answers many queries of one TCP connection, also in pieces', async () => {
    await createWeb();
    dns = await startTestDns(cluster.rest, corefile);
    const packets = Array.from({ length: 200 }, (_, index) => queryMessage(web, index));
    const answers = await sendTcp(dns.port, packets);
    expect(answers.map((answer) => answer.readUInt16BE(0))).toEqual(packets.map((_, index) => index));
  });

  it('ignores answers and fragments of headers, and refuses what it cannot read', async () => {
    dns = await startTestDns(cluster.rest, corefile);
    const { port } = dns;
    const query = queryMessage(web, 1);
    const changed = (change: (packet: Buffer) => void): Buffer => {
      const packet = Buffer.from(query);
      change(packet);
      return packet;
    };
    const ignored = [Buffer.alloc(0), query.subarray(0, 11), changed((packet) => packet.writeUInt16BE(Flag.QR, 2))];
    const refused: [string, Buffer][] = [
      ['FORMERR', changed((packet) => packet.writeUInt16BE(2, 4))],
      ['FORMERR', changed((packet) => packet.writeUInt16BE(0, 4))],
      ['FORMERR', changed((packet) => packet.writeUInt16BE(9, 10))],
      ['FORMERR', query.subarray(0, 20)],
      ['FORMERR', Buffer.concat([query.subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])])],
      ['NOTIMP', changed((packet) => packet.writeUInt16BE(0x2800, 2))],
    ];
    const codes = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
    for (const [rcode, packet] of refused) {
      // The ignored ones are sent from the same socket before: their answers would come first.
      const answer = await sendUdp(port, packet, ignored);
      expect(codes[(answer[3] ?? 0) & 15]).toBe(rcode);
    }
  });

  it('serves its health, readiness and metrics', async () => {
    const metrics = new DnsMetrics();
    await createWeb();
    dns = await startTestDns(
      cluster.rest,
      '.:53 {\n health\n ready\n prometheus :9153\n kubernetes cluster.local\n}\n',
      { metrics },
    );
    const page = async (port: string, path: string): Promise<string> => {
      const response = await fetch(`http://127.0.0.1:${dns?.server.pagePort(port)}${path}`);
      return `${response.status} ${await response.text()}`;
    };
    expect(await page(':8080', '/health')).toBe('200 OK');
    expect(await page(':8181', '/ready')).toBe('200 OK');
    expect(await page(':8080', '/other')).toMatch(/^404 /);
    await ask(dns.port, web);
    await ask(dns.port, web);
    await ask(dns.port, { ...web, protocol: 'tcp' } as never);
    const text = await page(':9153', '/metrics');
    const labels = 'server="dns://:53",type="A",view="",zone="."';
    expect(text).toContain(`coredns_dns_requests_total{family="1",proto="udp",${labels}} 2\n`);
    expect(text).toContain(`coredns_dns_requests_total{family="1",proto="tcp",${labels}} 1\n`);
    expect(text).toContain(
      'coredns_dns_responses_total{plugin="kubernetes",rcode="NOERROR",server="dns://:53",view="",zone="."} 3\n',
    );
    expect(text).toContain('coredns_plugin_enabled{name="kubernetes",server="dns://:53",view="",zone="."} 1\n');
  });

  it('is not ready while it has not seen the cluster', async () => {
    await cluster.stop();
    dns = await startTestDns(
      cluster.rest,
      '.:53 {\n ready\n kubernetes cluster.local {\n  startup_timeout 10ms\n }\n}\n',
    );
    const response = await fetch(`http://127.0.0.1:${dns.server.pagePort(':8181')}/ready`);
    expect([response.status, await response.text()]).toEqual([503, 'kubernetes']);
  });

  it('stops when queries are forwarded in a circle', async () => {
    // The port is not known before the server has started, so a fixed one of the loopback network is used.
    const listen = () => ({ hosts: ['127.7.7.7'], port: 5399 });
    const text = `.:53 {\n loop\n forward . 127.7.7.7:5399\n}\n`;
    const looping = await startTestDns(cluster.rest, text, { listen });
    await expect(looping.running).rejects.toThrow(
      /^Loop \(127\.\d\.\d\.\d:\d+ -> dns:\/\/:53\) detected for zone "\."$/,
    );
  });

  it('does not start with a Corefile that it cannot use, and leaves nothing behind', async () => {
    const starting = startTestDns(cluster.rest, '.:53 {\n kubernetes cluster.local {\n  foo\n }\n}\n');
    await expect(starting).rejects.toThrow(
      `plugin/kubernetes: Corefile:3 - Error during parsing: unknown property 'foo'`,
    );
  });
});

describe('a hosts file', () => {
  it('that gets a name is seen, also when another plug-in was asked for that name before', async () => {
    let text = '10.0.0.1 other.default.svc.cluster.local\n';
    const clock = new FakeClock(1_700_000_000_000);
    const source = {
      ...textSource('.:53 {\n hosts /hosts {\n  fallthrough\n }\n kubernetes cluster.local\n}\n'),
      files: { read: async () => text },
    };
    dns = await startTestDns(cluster.rest, source, {
      clock: { ...systemClock, setTimeout: clock.setTimeout.bind(clock) },
    });
    expect(await ask(dns.port, web)).toMatchObject({ rcode: 'NXDOMAIN' });
    expect(await ask(dns.port, web)).toMatchObject({ rcode: 'NXDOMAIN' });
    text = '10.0.0.2 web.default.svc.cluster.local\n';
    await clock.advance(5000);
    expect(await ask(dns.port, web)).toMatchObject({ answer: ['web.default.svc.cluster.local. 3600 in a 10.0.0.2'] });
  });
});

describe('a configuration in a ConfigMap', () => {
  const source = () =>
    configMapSource({ clients: cluster.clients, clock: systemClock, random: () => 0.5, logger: silentLogger });
  const hosts = (ip: string): string =>
    `.:53 {\n reload\n hosts /etc/coredns/NodeHosts {\n  ${ip} inline.example\n  fallthrough\n }\n import /etc/coredns/custom/*.override\n}\nimport /etc/coredns/custom/*.server\n`;
  const configMaps = () => cluster.clients.core.v1.configMaps('kube-system');
  const set = (Corefile: string) =>
    configMaps().update({ metadata: { name: 'coredns' }, data: { Corefile, NodeHosts: '10.0.0.9 node.example\n' } });
  const inline = { name: 'inline.example.', type: 'A' };

  beforeEach(async () => {
    await configMaps().create({
      metadata: { name: 'coredns' },
      data: { Corefile: hosts('10.0.0.1'), NodeHosts: '10.0.0.9 node.example\n' },
    });
  });

  it('is used as soon as it changes; a broken one is reported, and the old one stays', async () => {
    const metrics = new DnsMetrics();
    dns = await startTestDns(cluster.rest, source(), { metrics });
    const record = (ip: string): string[] => [`inline.example. 3600 in a ${ip}`];
    await until(inline, record('10.0.0.1'));
    await set(hosts('10.0.0.2'));
    await until(inline, record('10.0.0.2'));
    await set(`${hosts('10.0.0.3')}broken:53 {\n kubernetes {\n`);
    while (metrics.reloadFailures.with().value === 0) await ask(dns.port, inline);
    expect(dns.log.join('\n')).toContain('kube-system/coredns:11 - Error during parsing: Unexpected EOF');
    expect((await ask(dns.port, inline)).answer).toEqual(record('10.0.0.2'));
    await set(hosts('10.0.0.4'));
    await until(inline, record('10.0.0.4'));
  });

  it('has its other keys as files, and those of coredns-custom as imports', async () => {
    await configMaps().create({
      metadata: { name: 'coredns-custom' },
      data: { 'a.server': 'custom.example:53 {\n hosts {\n  10.0.0.7 custom.example\n }\n}\n', 'b.txt': 'not this' },
    });
    dns = await startTestDns(cluster.rest, source());
    await until({ name: 'node.example.', type: 'A' }, ['node.example. 3600 in a 10.0.0.9']);
    await until({ name: 'custom.example.', type: 'A' }, ['custom.example. 3600 in a 10.0.0.7']);
  });
});

describe('the Service kube-dns of a server outside of pods', () => {
  it('has the address of the server, and loses it', async () => {
    const service = new KubeDnsService({
      clients: cluster.clients,
      clusterIP: '10.96.0.10',
      addresses: ['192.0.2.10'],
      port: 5300,
      host: 'here',
    });
    await service.publish();
    await service.publish();
    const { core, discovery } = cluster.clients;
    expect((await core.v1.services('kube-system').get('kube-dns')).spec?.clusterIP).toBe('10.96.0.10');
    expect((await core.v1.configMaps('kube-system').get('coredns')).data?.Corefile).toContain(
      'kubernetes cluster.local',
    );
    const slices = discovery.v1.endpointSlices('kube-system');
    const { endpoints, ports } = await slices.get('kube-dns-here');
    expect([endpoints?.[0]?.addresses, ports?.map(({ port, protocol }) => `${port}/${protocol}`)]).toEqual([
      ['192.0.2.10'],
      ['5300/UDP', '5300/TCP'],
    ]);
    await service.withdraw();
    await service.withdraw();
    expect((await slices.list()).items).toEqual([]);
  });
});
